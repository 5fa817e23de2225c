"""Refusals of the market's program: its generated errors with a remedy each, and what is done only in part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Final

from anchor_client.generated.errors import ERRORS
from anchor_client.service.errors import GpuMarketError
from anchor_idl.runtime.program_errors import FRAMEWORK_ERRORS, ProgramError, UnknownProgramError

_PROGRAM_BUG = "Nothing has been moved. Report it with the transaction's logs: this should never happen."
_REFRESH = "Read the accounts again and retry; they may have changed meanwhile."
_OTHER_ACCOUNT = "Let the client derive the accounts, or check the addresses that were passed."

REMEDIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Unauthorized": "Sign with the market's authority (a guardian may only pause and veto).",
        "Paused": "Wait until the area is resumed; money that is owed to you is still paid out.",
        "ParameterOutOfBounds": "Choose a value within the parameter's bounds; a market for tests has wider ones.",
        "MathOverflow": "Choose a shorter duration or smaller amounts.",
        "LedgerMismatch": _PROGRAM_BUG,
        "ZeroAmount": "Use an amount above zero; there may be nothing to sweep yet.",
        "Token2022Unsupported": "Use a mint of the original SPL Token program.",
        "InvalidMint": "Check the mint's address and the cluster.",
        "NativeMarketToken": "Choose an SPL Token mint of your own as the market token.",
        "MintDisabled": "Pay in another token.",
        "TermsNotForThisMint": "Set a subsidy and a burn only for the market token, an extra fee only for others.",
        "PriceMissing": "Wait until the oracle posts a price, or pay in another token.",
        "PriceStale": "Wait until the oracle posts a fresh price, or pay in another token.",
        "WrongOracle": "Sign with the oracle key of this mint.",
        "OracleNotPosted": "Change a pinned price through the mint's terms.",
        "SubsidyPoolTooSmall": "The pool is empty; fund it, or withdraw from another vault.",
        "InvalidTokenAccount": "Create the associated token account of this mint first, or pass another.",
        "TokenAccountFrozen": "Ask the token's issuer, or pay in another token.",
        "WrongMint": "Pass a token account of the rental's mint.",
        "WrongTokenOwner": "Pass a token account of the wallet that it is for.",
        "WrongVault": _OTHER_ACCOUNT,
        "ShardOutOfRange": "Raise the mint's shards first, or choose a smaller shard.",
        "InsufficientFunds": "Add tokens to the wallet, rent for a shorter time, or pay in another token.",
        "WrongUpgradeAuthority": "Sign with the program's upgrade authority.",
        "HostNotApproved": "Choose another listing; hosts ask the market's authority for approval.",
        "WrongHost": "Sign with the wallet of the host that owns the listing.",
        "WrongOperator": "Sign with the listing's operator key, or have its owner set it: `gpu-market host operator`.",
        "FinishNotAgreed": "Let the paid time run out: the renter has not ordered it with `--until-exit`.",
        "ReservedFinish": "Leave `--until-exit` out, or rent on demand: the discount is for the whole term.",
        "ContestWindowOpen": "Wait until the renter's time to contest is over.",
        "ContestWindowOver": "Nothing to do: what was held back is the host's, and anyone may release it.",
        "HoldbackPending": "Wait until the renters' time to contest is over, then release what is held back.",
        "WrongGpuModel": _OTHER_ACCOUNT,
        "SubsidyBudgetSpent": "Rent again for what is left of it, or wait for the next UTC day.",
        "DiscountSpent": "Save your work, and rent again: stake, the renter's or the host's, lowers the fee for one "
        "cool-down of a rental's time. Next time order the whole duration in one order.",
        "SubsidyShareSpent": "Rent again for what is left of it, or wait for the next UTC day.",
        "SubsidyHoursSpent": "Rent again: the new rental has its own hours.",
        "InvalidOperator": "Give the address of the key that serves the machine.",
        "InvalidSealKey": "Give the host's X25519 public key.",
        "InvalidListingSpec": "Check the model, count, VRAM, disk kind (0 to 2), prices and longest rental.",
        "WrongListing": _OTHER_ACCOUNT,
        "ListingOccupied": "Choose another listing, or wait until its rental ends.",
        "ListingHidden": "Choose another listing.",
        "ListingOffline": "Choose another listing; its host must send a heartbeat first.",
        "OrderBelowMinimum": "Rent for longer (`rent --or-least` takes the shortest time) or a larger machine.",
        "DurationTooShort": "Choose a longer duration.",
        "DurationTooLong": "Choose a shorter duration, or a listing with a longer maximum.",
        "InvalidReservedTerm": "Choose 7, 30 or 90 days.",
        "CostAboveMaximum": "Raise the maximum cost, or wait for a better price.",
        "NonceMismatch": _REFRESH,
        "SelfRental": "Rent with a wallet other than the host's.",
        "WrongRenter": "Sign with the wallet that opened the rental.",
        "PayeeNotPayable": "Try again once the payee has a usable token account, or SOL for their wallet's rent.",
        "WrongPayee": "Name the payee's wallet: SOL goes there.",
        "WrongLayout": "Migrate the account first, or use the client of the program's version: see docs/upgrades.md.",
        "RentNotSwept": "Name a host, listing, renter, staker or one of the market: others return it at their end.",
        "NothingToSweep": "Nothing to do: it holds no more than its rent.",
        "WrongOwner": "Name the owner's wallet, or the treasury for an account of the market.",
        "NotAssociated": "Name the payee's associated token account, or let the payee sign.",
        "FreezableMarketToken": "Open the market with a mint whose freeze authority has been given up.",
        "PayoutUnclaimed": "Choose another machine: its host must first claim its last payout.",
        "WrongRentalState": "Check the rental's state: it has changed.",
        "AlreadyExtended": "Check the rental again, and extend it from the paid time that it has now.",
        "RentalExpired": "Nothing to do: its paid time is over and anyone may finalise it.",
        "RentalNotExpired": "Wait until its paid time is over; the renter may stop it earlier.",
        "ProvisioningInTime": "Wait until the host's time to start is over; the renter may withdraw earlier.",
        "HostOnline": "Mark the machine first, once its last heartbeat is too old, and give its host time to answer.",
        "InvalidRating": "Rate from 1 to 5.",
        "AlreadyRated": "Nothing to do: a rental can be rated only once.",
        "InvalidConnection": "Seal the connection into 1 to 640 bytes.",
        "MintAccountMissing": "Pass the market token's mint: this rental burns.",
        "InvalidHeartbeat": "Name each listing once, and at least one.",
        "ProvisioningOverdue": "Nothing to do: anyone may cancel it now, with a full refund to the renter.",
        "InvalidCloseReason": "Choose HOST_FAULT, HOST_MAINTENANCE or, before the start, one of the ORDER_ reasons.",
        "QuotaExceeded": "End a rental first; the quota grows with stake and with what has been spent.",
        "RegionQuotaExceeded": "Choose another region, or end a rental in this one; stake and spend raise the quota.",
        "PriorityWindow": "Choose another listing, or wait a moment: stakers go first on idle machines.",
        "WrongStakeOwner": _OTHER_ACCOUNT,
        "PriceFeedMissing": "Let the client find the mint's Pyth price update, or pass one.",
        "WrongPriceFeed": "Pass a fully verified price update of the mint's own feed, or set it under price_feeds.",
        "PriceUncertain": "Wait until the market price settles, or pay in another token.",
        "BidTooLow": "Raise the bid.",
        "InvalidBid": "Set a bid for spot orders only.",
        "SpecChanged": "Check the listing again: its specs, or the time for which it keeps workspaces, have changed.",
        "SpotNotOffered": "Choose another listing, or rent on demand.",
        "JustWithdrawn": "Bid again in a second.",
        "JustPlaced": "Withdraw the order a second later.",
        "OrderBound": "Wait until the order holds the machine, then stop it. Later anyone may remove it.",
        "RatedTooSoon": "Wait until the rental has run for the market's min_rated_seconds, and rate before it ends.",
        "RentalWaiting": "Withdraw the bid instead, or wait until it takes over.",
        "WrongHolder": _REFRESH,
        "WrongMatcher": _REFRESH,
        "WrongChallenger": _REFRESH,
        "SelfChallenge": "Bid with another wallet, or keep the rental you have.",
        "ChallengerWaiting": "Read the listing again and outbid the waiting order.",
        "TakeOverDue": "Let the waiting order take over first; then bid against it. If it is yours, stop it then.",
        "GraceNotOver": "Wait until the holder's grace is over.",
        "ChallengerInTime": "Sign with the renter's wallet, or wait: the order may still take over.",
        "RentalChallenged": "Save your work before the machine is handed over; rent on demand to be safe from bids.",
        "NoCharges": "Rent without a cap on charges: this listing has none.",
        "ChargesAboveAgreed": "Check the listing's charges again and agree to them, or choose another listing.",
        "ReportTooLate": "Nothing to do: the meter can be closed with what has been reported.",
        "UsageNotGrowing": "Report totals since the meter opened: neither may fall, and at least one must grow.",
        "StorageAboveLimit": "Report at most the GB times the hours that are paid, up to the last heartbeat.",
        "NothingToDispute": "Nothing to do: usage is open to dispute only within the window after its report.",
        "NothingToAccept": "Nothing to do: no reported usage waits for acceptance.",
        "NothingDisputed": "Nothing to do: undisputed usage is paid when its window has passed.",
        "DisputeOpen": "Wait until the renter's time to accept is over; the renter may accept earlier.",
        "MeterRunning": "Wait until the rental has ended and the host's time to report is over.",
        "UsageUndecided": "Wait until the window of the last report is over; resolve a dispute first.",
        "RentalNotStarted": "Report what is used from the start of the rental on.",
        "MeterMissing": "Read the rental again: if it has a meter, pass that to whatever ends it.",
        "HostMissing": "Pass the listing's host to whatever ends a rental that has a subsidy.",
        "WrongRental": _OTHER_ACCOUNT,
        "InsufficientStake": "Unstake at most what is staked.",
        "VoteLocked": "Wait until the vote ends; stake that is still warming up may leave.",
        "StakeCooling": "Wait until the cool-down is over.",
        "NothingToWithdraw": "Unstake or unlock first, then wait until the delay is over.",
        "NothingToClaim": "Nothing is owed now; rewards come when an epoch that pays them ends.",
        "UnknownRewardStream": "Choose a mint that the pool pays rewards in; the market's authority adds one.",
        "RewardMintExists": "Nothing to do: the pool pays rewards in this mint.",
        "TooManyRewardMints": "Pay rewards in one of the mints the pool has.",
        "WrongPoolAccount": _OTHER_ACCOUNT,
        "UnknownGpuModel": "Numbers of GPU models begin at 1.",
        "InsufficientLock": "Unlock at most what is locked.",
        "LockNotOver": "Wait until the unlocking delay is over.",
        "StakeTooSmall": "Stake more market tokens and wait until they are active.",
        "NoActiveStake": "Vote on proposals that open once your stake is active.",
        "TitleTooLong": "Shorten the title to 200 bytes.",
        "WrongProposalState": "Check the proposal's state: it has changed.",
        "VoteEnded": "Nothing to do: the vote is over, and anyone may count it.",
        "VoteOpen": "Wait until the vote has ended.",
        "TimelockRunning": "Wait until the timelock is over; anyone may execute the proposal then.",
        "ProposalExpired": "Make the proposal again.",
        "ProposalLive": "Wait until your last proposal is over, or cancel it; then close it.",
        "ProposalNotOver": "Wait until it is executed, defeated, cancelled, vetoed or expired.",
        "NotCritical": "Vote against it: only upgrades and the treasury's payments can be vetoed.",
        "PauseTooSoon": "Ask the market's authority to pause, or wait until a week after the end of the last pause.",
        "RentalsOpen": "End your rentals first.",
        "AccountTooNew": "Try again in ten minutes.",
        "WrongAction": "Let the client derive the accounts of the proposal's action.",
        "BufferChanged": "Make a new proposal with the hash of what the buffer holds.",
        "WrongProposal": _OTHER_ACCOUNT,
        "WrongVoter": _OTHER_ACCOUNT,
        "SpotRequest": "Request on demand or reserved, or bid for one listing.",
        "InvalidRequest": "Check the model, count, score (at most 10,000), price and expiry (within 30 days).",
        "DepositTooSmall": "Raise the deposit, or lower the highest price or the duration.",
        "ListingUnfit": "Choose a listing with the requested model, count and region, whose host has the score.",
        "RequestOver": "Nothing to do: anyone may end it now, with a full refund to the renter; open another.",
        "RequestNotExpired": "Wait until it has expired; the renter may withdraw it earlier.",
        "BidTooHigh": "Bid at most the listing's price on demand, or rent on demand: nobody can outbid that.",
        "PriceBelowHolder": "Choose another listing, or wait until the machine is free.",
        "PostTooSoon": "Wait until the market's interval since the last post is over.",
        "PriceStepTooLarge": "Move the price in several posts, each within the market's step.",
        "RentalRepriced": "Rent again at today's price; this rental continues until its paid time ends.",
        "AnswerPending": "Wait: the host may still answer within the market's answer window.",
        "AlreadySilent": "Nothing to do: the host counts as silent until its next heartbeat.",
        "StakeNotEmpty": "Unstake and withdraw all of it, and claim the rewards of every token; then close it.",
    }
)
"""Remedy for each error of the program, by its name in the IDL."""


class ProgramRefusal(GpuMarketError, ProgramError):
    """The market's program refused; also an instance of the generated error, so either can be caught."""

    default_remedy = _REFRESH

    def __init__(self, context: str = "", logs: tuple[str, ...] = ()) -> None:
        text = self.message
        GpuMarketError.__init__(self, f"{text} ({context})" if context else text, REMEDIES.get(self.name))
        self.context = context
        self.logs = logs


def refusal(code: int, context: str = "", logs: tuple[str, ...] = ()) -> ProgramRefusal:
    """The exception for a custom error code of the market's program; catch it by its generated class."""
    return _kind(code)(context, logs)


@cache
def _kind(code: int) -> type[ProgramRefusal]:
    generated = ERRORS.get(code) or FRAMEWORK_ERRORS.get(code)
    if generated is None:
        return type("UnknownProgramRefusal", (ProgramRefusal, UnknownProgramError), {"code": code})
    return type(generated.__name__, (ProgramRefusal, generated), {"__doc__": generated.__doc__})


class ListedInPart(GpuMarketError):
    """Several machines were to be listed, and only the first of them are. `listings` has their addresses."""

    def __init__(self, listings: Sequence[str], wanted: int, cause: GpuMarketError) -> None:
        super().__init__(
            f"{len(listings)} of {wanted} machines are listed, then: {cause.message}",
            f"{cause.remedy} To list all of them, first close these: gpu-market host close {' '.join(listings)}",
        )
        self.listings = listings
