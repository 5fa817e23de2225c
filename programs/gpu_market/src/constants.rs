//! Units, seeds and the bounds that no parameter may leave.

use anchor_lang::prelude::*;

/// Basis points in a whole.
#[constant]
pub const BPS: u64 = 10_000;
/// Prices are per machine-hour.
#[constant]
pub const SECONDS_PER_HOUR: u64 = 3_600;
/// Micro-USD in a dollar.
#[constant]
pub const USD: u64 = 1_000_000;
/// Pico-USD in a micro-USD: token prices are pico-USD per whole token.
#[constant]
pub const PICO_PER_MICRO: u64 = 1_000_000;
/// The subsidy never covers more of a price than this.
#[constant]
pub const MAX_SUBSIDY_BPS: u16 = 8_500;
/// The burn never takes more of what a renter spends than this.
#[constant]
pub const MAX_BURN_BPS: u16 = 5_000;
/// No fee, whoever pays it, is above this.
#[constant]
pub const MAX_FEE_BPS: u16 = 3_000;
/// 3000 hours: the longest rental any parameter can allow.
#[constant]
pub const MAX_DURATION: u32 = 10_800_000;
/// The most days that a listing can say renters' workspaces are kept.
#[constant]
pub const MAX_KEEP_DAYS: u16 = 999;
/// Terms of a reserved rental, in seconds: 7, 30 and 90 days.
pub const RESERVED_TERMS: [u32; 3] = [604_800, 2_592_000, 7_776_000];
/// Sealed connection details in an accept are at most this many bytes.
#[constant]
pub const MAX_CONNECTION_BYTES: u32 = 640;
/// Vault shards a payment mint may have.
#[constant]
pub const MAX_SHARDS: u8 = 64;

/// Listings name a region below this.
#[constant]
pub const MAX_REGIONS: u16 = 64;
/// Least cost of a transaction of one signature, in lamports.
#[constant]
pub const SIGNATURE_LAMPORTS: u32 = 5_000;
/// Region of a request that any will do for.
#[constant]
pub const ANY_REGION: u8 = u8::MAX;
/// A request waits for a machine at most this many seconds: 30 days.
#[constant]
pub const MAX_REQUEST_SECONDS: u32 = 2_592_000;
/// No quota lets a wallet rent more than this at a time in one region.
#[constant]
pub const MAX_REGION_RENTALS: u8 = 250;
/// Active stake in whole market tokens at which the holder's fees are lowest.
#[constant]
pub const HOLDING_TOKENS: u64 = 2_000_000;
/// The largest part of a fee that holding stake takes off.
#[constant]
pub const MAX_HOLDING_DISCOUNT_BPS: u64 = 5_000;
/// Mints that stake can earn rewards in.
pub const REWARD_STREAMS: usize = 4;

/// Parts of a host's reputation, in percent: time up, what buyers said, rentals that ended well.
#[constant]
pub const REPUTATION_UPTIME_PERCENT: u64 = 60;
#[constant]
pub const REPUTATION_RATING_PERCENT: u64 = 25;
#[constant]
pub const REPUTATION_COMPLETION_PERCENT: u64 = 15;
/// A report that a machine is not as listed counts until this many seconds after the start: an hour.
#[constant]
pub const REPORT_WINDOW: u32 = 3_600;
/// A holder whose challenger was withdrawn is warned anew by a whole grace after this many seconds: a quarter of an hour.
#[constant]
pub const GRACE_MEMORY: i64 = 900;
/// Whatever is left of a grace, an order waits this many seconds, so that it can be outbid and its holder extend.
#[constant]
pub const LEAST_GRACE: u16 = 30;
/// Traffic and storage are counted in decimal units.
#[constant]
pub const MB_PER_GB: u64 = 1_000;
#[constant]
pub const MB_PER_TB: u64 = 1_000_000;
/// A proposal's action takes this many bytes.
pub const ACTION_BYTES: usize = 128;
/// A proposal's title is at most this many bytes.
#[constant]
pub const MAX_TITLE_BYTES: u16 = 200;
/// A proposal never takes more than this share of the stake that may vote.
#[constant]
pub const MAX_PROPOSAL_STAKE_BPS: u16 = 100;
/// Votes may be counted for this many seconds after their end: 7 days.
#[constant]
pub const QUEUE_WINDOW: i64 = 604_800;
/// A guardian's pause lasts this many seconds: 7 days.
#[constant]
pub const GUARDIAN_PAUSE: i64 = 604_800;
/// For this many seconds after the guardian's pause of an area they cannot pause it again: 7 days.
#[constant]
pub const GUARDIAN_PAUSE_GAP: i64 = 604_800;
/// No wallet makes this many orders in one slot: a profile's nonces begin at its slot times this.
#[constant]
pub const NONCES_PER_SLOT: u64 = 65_536;
/// Most slots ahead that the first nonce of a profile may begin: ten minutes, so that it is known before it lands.
#[constant]
pub const FIRST_NONCE_SLOTS: u64 = 1_500;
/// The warm-ups of a wallet's stake that are known by their time.
pub const WARM_UPS: usize = 4;
/// A queued proposal may be executed for this many seconds: 14 days.
#[constant]
pub const EXECUTION_WINDOW: i64 = 1_209_600;
