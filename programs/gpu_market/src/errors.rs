//! Every refusal has a name. The block of codes starts at 6000 and only grows at its end.

use anchor_lang::prelude::*;

#[error_code]
pub enum MarketError {
    #[msg("The signer may not do this")]
    Unauthorized,
    #[msg("This area of the market is paused")]
    Paused,
    #[msg("The value is outside the parameter's bounds")]
    ParameterOutOfBounds,
    #[msg("A result does not fit its integer")]
    MathOverflow,
    #[msg("The ledger would no longer balance")]
    LedgerMismatch,
    #[msg("The amount is zero")]
    ZeroAmount,
    #[msg("Token-2022 mints are not accepted")]
    Token2022Unsupported,
    #[msg("The account is not an SPL Token mint")]
    InvalidMint,
    #[msg("The native mint cannot be the market token, since it cannot be burned")]
    NativeMarketToken,
    #[msg("The payment mint is not open for new orders")]
    MintDisabled,
    #[msg("Only the market token carries a subsidy and a burn, and only other mints an extra fee")]
    TermsNotForThisMint,
    #[msg("No price has been posted for this mint")]
    PriceMissing,
    #[msg("The price is older than its maximum age")]
    PriceStale,
    #[msg("The signer is not the price oracle of this mint")]
    WrongOracle,
    #[msg("This oracle kind does not take posted prices")]
    OracleNotPosted,
    #[msg("The subsidy pool of this vault holds less than that")]
    SubsidyPoolTooSmall,
    #[msg("The account is not a usable SPL Token account")]
    InvalidTokenAccount,
    #[msg("The token account is frozen by its mint's authority")]
    TokenAccountFrozen,
    #[msg("The token account holds another mint")]
    WrongMint,
    #[msg("The token account belongs to someone else")]
    WrongTokenOwner,
    #[msg("The vault does not belong to this mint and shard")]
    WrongVault,
    #[msg("The vault shard is outside the mint's shards")]
    ShardOutOfRange,
    #[msg("The payer's token account holds less than the order costs")]
    InsufficientFunds,
    #[msg("The program data account does not name the signer as upgrade authority")]
    WrongUpgradeAuthority,
    #[msg("The host has not been approved")]
    HostNotApproved,
    #[msg("The account belongs to another host")]
    WrongHost,
    #[msg("The seal key is all zeros")]
    InvalidSealKey,
    #[msg("The listing's specification is not valid")]
    InvalidListingSpec,
    #[msg("The account is not the listing of this rental")]
    WrongListing,
    #[msg("The listing is taken")]
    ListingOccupied,
    #[msg("The listing is not visible to renters")]
    ListingHidden,
    #[msg("The listing's host has not been heard from in time")]
    ListingOffline,
    #[msg("The order is worth less than the market's minimum")]
    OrderBelowMinimum,
    #[msg("The duration is below the market's minimum")]
    DurationTooShort,
    #[msg("The duration is above the listing's or the market's maximum")]
    DurationTooLong,
    #[msg("A reserved rental runs 7, 30 or 90 days")]
    InvalidReservedTerm,
    #[msg("The cost is above the most the renter agreed to")]
    CostAboveMaximum,
    #[msg("The nonce is not the wallet's next one")]
    NonceMismatch,
    #[msg("A host cannot rent their own machine")]
    SelfRental,
    #[msg("The account does not belong to the rental's renter")]
    WrongRenter,
    #[msg("The rental is not in a state that allows this")]
    WrongRentalState,
    #[msg("The rental's paid time has ended")]
    RentalExpired,
    #[msg("The rental's paid time has not ended")]
    RentalNotExpired,
    #[msg("The host still has time to provision")]
    ProvisioningInTime,
    #[msg("The host's heartbeat is not overdue")]
    HostOnline,
    #[msg("A rating is 1 to 5")]
    InvalidRating,
    #[msg("The rental has been rated")]
    AlreadyRated,
    #[msg("The sealed connection is empty or too long")]
    InvalidConnection,
    #[msg("The burn needs the market token's mint account")]
    MintAccountMissing,
    #[msg("A heartbeat names no listing, or an account that is also used otherwise")]
    InvalidHeartbeat,
    #[msg("The time to start the rental has passed")]
    ProvisioningOverdue,
    #[msg("A host cancels for a fault, for maintenance, or because it refuses the order")]
    InvalidCloseReason,
    #[msg("The wallet has as many rentals as its quota allows")]
    QuotaExceeded,
    #[msg("The wallet has as many rentals in this region as its quota allows")]
    RegionQuotaExceeded,
    #[msg("The machine is kept for stakers for a moment after it fell idle")]
    PriorityWindow,
    #[msg("The account is not the stake account of this wallet")]
    WrongStakeOwner,
    #[msg("This mint is priced by Pyth: the order must bring a price update")]
    PriceFeedMissing,
    #[msg("The account is not a verified Pyth price update of this mint's feed")]
    WrongPriceFeed,
    #[msg("The price's confidence interval is too wide")]
    PriceUncertain,
    #[msg("The bid is below the least that would take the machine")]
    BidTooLow,
    #[msg("A spot order offers a price, the other kinds none")]
    InvalidBid,
    #[msg("The machine takes no spot orders")]
    SpotNotOffered,
    #[msg("The rental has not run long enough to be rated")]
    RatedTooSoon,
    #[msg("The rental still waits for the machine")]
    RentalWaiting,
    #[msg("The account is not the rental that holds the machine")]
    WrongHolder,
    #[msg("The account is not the rental that waits for the machine")]
    WrongChallenger,
    #[msg("The renter holds the machine already")]
    SelfChallenge,
    #[msg("Another order waits for the machine")]
    ChallengerWaiting,
    #[msg("The order that waits for the machine is due to take it over")]
    TakeOverDue,
    #[msg("The holder's grace has not ended")]
    GraceNotOver,
    #[msg("Only its renter may withdraw an order that can still take over")]
    ChallengerInTime,
    #[msg("The holder's grace is over: the rental cannot be extended")]
    RentalChallenged,
    #[msg("The listing charges for nothing beyond its price")]
    NoCharges,
    #[msg("The listing's charges are above what the renter agreed to")]
    ChargesAboveAgreed,
    #[msg("The host's time for a last report has passed")]
    ReportTooLate,
    #[msg("Reported totals must grow")]
    UsageNotGrowing,
    #[msg("The storage reported is more than the renter's GB could use since the meter opened")]
    StorageAboveLimit,
    #[msg("No reported usage is open to dispute")]
    NothingToDispute,
    #[msg("No usage waits for the renter's acceptance")]
    NothingToAccept,
    #[msg("No usage is disputed")]
    NothingDisputed,
    #[msg("The renter may still accept what they dispute")]
    DisputeOpen,
    #[msg("The rental has not ended, or the host may still make its last report")]
    MeterRunning,
    #[msg("Reported usage is still pending or disputed")]
    UsageUndecided,
    #[msg("The rental has not started: there is no usage to report")]
    RentalNotStarted,
    #[msg("The rental has a meter, and its ending must bring it")]
    MeterMissing,
    #[msg("The account is not the rental of this meter")]
    WrongRental,
    #[msg("The account holds less stake than that")]
    InsufficientStake,
    #[msg("The stake has voted and stays until the vote ends")]
    VoteLocked,
    #[msg("The stake is still cooling down")]
    StakeCooling,
    #[msg("Nothing is on its way out")]
    NothingToWithdraw,
    #[msg("No rewards have been earned in this mint since the last claim")]
    NothingToClaim,
    #[msg("The pool pays no rewards in this mint")]
    UnknownRewardStream,
    #[msg("The pool already pays rewards in this mint")]
    RewardMintExists,
    #[msg("The pool pays rewards in as many mints as it can")]
    TooManyRewardMints,
    #[msg("The token account is not the one that keeps these tokens")]
    WrongPoolAccount,
    #[msg("The GPU model has no number in the catalog")]
    UnknownGpuModel,
    #[msg("The host has locked less than that")]
    InsufficientLock,
    #[msg("The unlocked tokens may not leave yet")]
    LockNotOver,
    #[msg("The wallet's active stake is too small for this")]
    StakeTooSmall,
    #[msg("The wallet has no stake that has been active since the proposal opened")]
    NoActiveStake,
    #[msg("The proposal's title is too long")]
    TitleTooLong,
    #[msg("The proposal is not in a state that allows this")]
    WrongProposalState,
    #[msg("The vote has ended")]
    VoteEnded,
    #[msg("The vote has not ended")]
    VoteOpen,
    #[msg("The proposal's timelock is still running")]
    TimelockRunning,
    #[msg("The proposal was not counted or executed in time")]
    ProposalExpired,
    #[msg("The accounts are not those of the proposal's action")]
    WrongAction,
    #[msg("The buffer is not the code that was voted on")]
    BufferChanged,
    #[msg("The account is not the proposal of this vote")]
    WrongProposal,
    #[msg("The account is not the wallet that voted")]
    WrongVoter,
    #[msg("A spot order bids for one machine: it cannot be a request")]
    SpotRequest,
    #[msg("The request asks for what no machine can be, or ends in the past or too late")]
    InvalidRequest,
    #[msg("The deposit does not cover the request at the highest price it allows")]
    DepositTooSmall,
    #[msg("The machine is not what the request asks for")]
    ListingUnfit,
    #[msg("The request has ended")]
    RequestOver,
    #[msg("The request has not ended")]
    RequestNotExpired,
    #[msg("The account still holds stake or rewards")]
    StakeNotEmpty,
    #[msg("The bid is above the listing's price on demand")]
    BidTooHigh,
    #[msg("The order's price is below that of the rental in its way")]
    PriceBelowHolder,
    #[msg("The price was posted too recently to move again")]
    PostTooSoon,
    #[msg("The price moves further than one post may move it")]
    PriceStepTooLarge,
    #[msg("The token's price or terms have moved too far since the rental opened")]
    RentalRepriced,
    #[msg("An order that waited has just been withdrawn: the machine takes the next one a second later")]
    JustWithdrawn,
    #[msg("The host may still answer the mark")]
    AnswerPending,
    #[msg("The host is known to be silent")]
    AlreadySilent,
    #[msg("The machine is no longer what the renter has seen: its specification has changed")]
    SpecChanged,
    #[msg("SOL is paid to the payee's wallet itself")]
    WrongPayee,
    #[msg("Only the payee may name another account than their associated token account")]
    NotAssociated,
    #[msg("The payee cannot be paid now: a token account is missing or frozen, or a wallet would not keep its rent")]
    PayeeNotPayable,
    #[msg("The host has not claimed what this listing's last rental paid")]
    PayoutUnclaimed,
    #[msg("The market token's mint must not have a freeze authority")]
    FreezableMarketToken,
    #[msg("The signer is not the operator of this listing")]
    WrongOperator,
    #[msg("The operator is all zeros")]
    InvalidOperator,
    #[msg("The renter has not agreed that the host ends the rental with its command")]
    FinishNotAgreed,
    #[msg("The renter may still contest that the rental has finished")]
    ContestWindowOpen,
    #[msg("The time to contest that the rental has finished is over")]
    ContestWindowOver,
    #[msg("A finished rental of this listing still holds something back for the host")]
    HoldbackPending,
    #[msg("The staker's last proposal is not closed")]
    ProposalLive,
    #[msg("Something may still become of the proposal")]
    ProposalNotOver,
    #[msg("The guardian vetoes upgrades and the treasury's payments, and nothing else")]
    NotCritical,
    #[msg("The guardian's last pause of this area has not been over for long enough")]
    PauseTooSoon,
    #[msg("The renter still has rentals")]
    RentalsOpen,
    #[msg("The account is too new to be closed: one made now could use its nonces again")]
    AccountTooNew,
    #[msg("The account is not that of the machine's GPU model")]
    WrongGpuModel,
    #[msg("The host's subsidy budget of the day does not cover the extension")]
    SubsidyBudgetSpent,
    #[msg("The rental's subsidy covers no more hours: rent anew")]
    SubsidyHoursSpent,
    #[msg("The account has a layout that this version of the program does not know: it must be migrated first")]
    WrongLayout,
    #[msg("The lamports of this account stay with it until it is closed")]
    RentNotSwept,
    #[msg("The account holds no lamports beyond its rent")]
    NothingToSweep,
    #[msg("The account is somebody else's")]
    WrongOwner,
    #[msg("The rental has been extended since: its paid time is another")]
    AlreadyExtended,
    #[msg("A reserved rental is for its whole term: its host cannot end it with its command")]
    ReservedFinish,
    #[msg("The order was placed in this second: it can be withdrawn from the next one on")]
    JustPlaced,
    #[msg("The order has outbid another, or came soon after a withdrawal: it waits until it holds the machine")]
    OrderBound,
    #[msg("The account is not that of whoever matched the rental's request, writable, to be paid")]
    WrongMatcher,
    #[msg("A stake's discount covers no more of the rental's time: place a new order")]
    DiscountSpent,
    #[msg("The share of the subsidy pool that may leave this vault today does not cover the extension")]
    SubsidyShareSpent,
    #[msg("The rental draws on its host's subsidy budget of today, and its ending must bring the host")]
    HostMissing,
}
