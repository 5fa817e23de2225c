"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from anchor_idl.runtime.program_errors import FrameworkError, ProgramError, UnknownProgramError, error_for

__all__ = [
    "ERRORS",
    "AccountTooNew",
    "AlreadyExtended",
    "AlreadyRated",
    "AlreadySilent",
    "AnswerPending",
    "BidTooHigh",
    "BidTooLow",
    "BufferChanged",
    "ChallengerInTime",
    "ChallengerWaiting",
    "ChargesAboveAgreed",
    "ContestWindowOpen",
    "ContestWindowOver",
    "CostAboveMaximum",
    "DepositTooSmall",
    "DiscountSpent",
    "DisputeOpen",
    "DurationTooLong",
    "DurationTooShort",
    "FinishNotAgreed",
    "FrameworkError",
    "FreezableMarketToken",
    "GraceNotOver",
    "HoldbackPending",
    "HostMissing",
    "HostNotApproved",
    "HostOnline",
    "InsufficientFunds",
    "InsufficientLock",
    "InsufficientStake",
    "InvalidBid",
    "InvalidCloseReason",
    "InvalidConnection",
    "InvalidHeartbeat",
    "InvalidListingSpec",
    "InvalidMint",
    "InvalidOperator",
    "InvalidRating",
    "InvalidRequest",
    "InvalidReservedTerm",
    "InvalidSealKey",
    "InvalidTokenAccount",
    "JustPlaced",
    "JustWithdrawn",
    "LedgerMismatch",
    "ListingHidden",
    "ListingOccupied",
    "ListingOffline",
    "ListingUnfit",
    "LockNotOver",
    "MathOverflow",
    "MeterMissing",
    "MeterRunning",
    "MintAccountMissing",
    "MintDisabled",
    "NativeMarketToken",
    "NoActiveStake",
    "NoCharges",
    "NonceMismatch",
    "NotAssociated",
    "NotCritical",
    "NothingDisputed",
    "NothingToAccept",
    "NothingToClaim",
    "NothingToDispute",
    "NothingToSweep",
    "NothingToWithdraw",
    "OracleNotPosted",
    "OrderBelowMinimum",
    "OrderBound",
    "ParameterOutOfBounds",
    "PauseTooSoon",
    "Paused",
    "PayeeNotPayable",
    "PayoutUnclaimed",
    "PostTooSoon",
    "PriceBelowHolder",
    "PriceFeedMissing",
    "PriceMissing",
    "PriceStale",
    "PriceStepTooLarge",
    "PriceUncertain",
    "PriorityWindow",
    "ProgramError",
    "ProposalExpired",
    "ProposalLive",
    "ProposalNotOver",
    "ProvisioningInTime",
    "ProvisioningOverdue",
    "QuotaExceeded",
    "RatedTooSoon",
    "RegionQuotaExceeded",
    "RentNotSwept",
    "RentalChallenged",
    "RentalExpired",
    "RentalNotExpired",
    "RentalNotStarted",
    "RentalRepriced",
    "RentalWaiting",
    "RentalsOpen",
    "ReportTooLate",
    "RequestNotExpired",
    "RequestOver",
    "ReservedFinish",
    "RewardMintExists",
    "SelfChallenge",
    "SelfRental",
    "ShardOutOfRange",
    "SpecChanged",
    "SpotNotOffered",
    "SpotRequest",
    "StakeCooling",
    "StakeNotEmpty",
    "StakeTooSmall",
    "StorageAboveLimit",
    "SubsidyBudgetSpent",
    "SubsidyHoursSpent",
    "SubsidyPoolTooSmall",
    "SubsidyShareSpent",
    "TakeOverDue",
    "TermsNotForThisMint",
    "TimelockRunning",
    "TitleTooLong",
    "Token2022Unsupported",
    "TokenAccountFrozen",
    "TooManyRewardMints",
    "Unauthorized",
    "UnknownGpuModel",
    "UnknownProgramError",
    "UnknownRewardStream",
    "UsageNotGrowing",
    "UsageUndecided",
    "VoteEnded",
    "VoteLocked",
    "VoteOpen",
    "WrongAction",
    "WrongChallenger",
    "WrongGpuModel",
    "WrongHolder",
    "WrongHost",
    "WrongLayout",
    "WrongListing",
    "WrongMatcher",
    "WrongMint",
    "WrongOperator",
    "WrongOracle",
    "WrongOwner",
    "WrongPayee",
    "WrongPoolAccount",
    "WrongPriceFeed",
    "WrongProposal",
    "WrongProposalState",
    "WrongRental",
    "WrongRentalState",
    "WrongRenter",
    "WrongStakeOwner",
    "WrongTokenOwner",
    "WrongUpgradeAuthority",
    "WrongVault",
    "WrongVoter",
    "ZeroAmount",
    "from_code",
]


class Unauthorized(ProgramError):
    """The signer may not do this"""

    code = 6000
    name = "Unauthorized"
    message = "The signer may not do this"


class Paused(ProgramError):
    """This area of the market is paused"""

    code = 6001
    name = "Paused"
    message = "This area of the market is paused"


class ParameterOutOfBounds(ProgramError):
    """The value is outside the parameter's bounds"""

    code = 6002
    name = "ParameterOutOfBounds"
    message = "The value is outside the parameter's bounds"


class MathOverflow(ProgramError):
    """A result does not fit its integer"""

    code = 6003
    name = "MathOverflow"
    message = "A result does not fit its integer"


class LedgerMismatch(ProgramError):
    """The ledger would no longer balance"""

    code = 6004
    name = "LedgerMismatch"
    message = "The ledger would no longer balance"


class ZeroAmount(ProgramError):
    """The amount is zero"""

    code = 6005
    name = "ZeroAmount"
    message = "The amount is zero"


class Token2022Unsupported(ProgramError):
    """Token-2022 mints are not accepted"""

    code = 6006
    name = "Token2022Unsupported"
    message = "Token-2022 mints are not accepted"


class InvalidMint(ProgramError):
    """The account is not an SPL Token mint"""

    code = 6007
    name = "InvalidMint"
    message = "The account is not an SPL Token mint"


class NativeMarketToken(ProgramError):
    """The native mint cannot be the market token, since it cannot be burned"""

    code = 6008
    name = "NativeMarketToken"
    message = "The native mint cannot be the market token, since it cannot be burned"


class MintDisabled(ProgramError):
    """The payment mint is not open for new orders"""

    code = 6009
    name = "MintDisabled"
    message = "The payment mint is not open for new orders"


class TermsNotForThisMint(ProgramError):
    """Only the market token carries a subsidy and a burn, and only other mints an extra fee"""

    code = 6010
    name = "TermsNotForThisMint"
    message = "Only the market token carries a subsidy and a burn, and only other mints an extra fee"


class PriceMissing(ProgramError):
    """No price has been posted for this mint"""

    code = 6011
    name = "PriceMissing"
    message = "No price has been posted for this mint"


class PriceStale(ProgramError):
    """The price is older than its maximum age"""

    code = 6012
    name = "PriceStale"
    message = "The price is older than its maximum age"


class WrongOracle(ProgramError):
    """The signer is not the price oracle of this mint"""

    code = 6013
    name = "WrongOracle"
    message = "The signer is not the price oracle of this mint"


class OracleNotPosted(ProgramError):
    """This oracle kind does not take posted prices"""

    code = 6014
    name = "OracleNotPosted"
    message = "This oracle kind does not take posted prices"


class SubsidyPoolTooSmall(ProgramError):
    """The subsidy pool of this vault holds less than that"""

    code = 6015
    name = "SubsidyPoolTooSmall"
    message = "The subsidy pool of this vault holds less than that"


class InvalidTokenAccount(ProgramError):
    """The account is not a usable SPL Token account"""

    code = 6016
    name = "InvalidTokenAccount"
    message = "The account is not a usable SPL Token account"


class TokenAccountFrozen(ProgramError):
    """The token account is frozen by its mint's authority"""

    code = 6017
    name = "TokenAccountFrozen"
    message = "The token account is frozen by its mint's authority"


class WrongMint(ProgramError):
    """The token account holds another mint"""

    code = 6018
    name = "WrongMint"
    message = "The token account holds another mint"


class WrongTokenOwner(ProgramError):
    """The token account belongs to someone else"""

    code = 6019
    name = "WrongTokenOwner"
    message = "The token account belongs to someone else"


class WrongVault(ProgramError):
    """The vault does not belong to this mint and shard"""

    code = 6020
    name = "WrongVault"
    message = "The vault does not belong to this mint and shard"


class ShardOutOfRange(ProgramError):
    """The vault shard is outside the mint's shards"""

    code = 6021
    name = "ShardOutOfRange"
    message = "The vault shard is outside the mint's shards"


class InsufficientFunds(ProgramError):
    """The payer's token account holds less than the order costs"""

    code = 6022
    name = "InsufficientFunds"
    message = "The payer's token account holds less than the order costs"


class WrongUpgradeAuthority(ProgramError):
    """The program data account does not name the signer as upgrade authority"""

    code = 6023
    name = "WrongUpgradeAuthority"
    message = "The program data account does not name the signer as upgrade authority"


class HostNotApproved(ProgramError):
    """The host has not been approved"""

    code = 6024
    name = "HostNotApproved"
    message = "The host has not been approved"


class WrongHost(ProgramError):
    """The account belongs to another host"""

    code = 6025
    name = "WrongHost"
    message = "The account belongs to another host"


class InvalidSealKey(ProgramError):
    """The seal key is all zeros"""

    code = 6026
    name = "InvalidSealKey"
    message = "The seal key is all zeros"


class InvalidListingSpec(ProgramError):
    """The listing's specification is not valid"""

    code = 6027
    name = "InvalidListingSpec"
    message = "The listing's specification is not valid"


class WrongListing(ProgramError):
    """The account is not the listing of this rental"""

    code = 6028
    name = "WrongListing"
    message = "The account is not the listing of this rental"


class ListingOccupied(ProgramError):
    """The listing is taken"""

    code = 6029
    name = "ListingOccupied"
    message = "The listing is taken"


class ListingHidden(ProgramError):
    """The listing is not visible to renters"""

    code = 6030
    name = "ListingHidden"
    message = "The listing is not visible to renters"


class ListingOffline(ProgramError):
    """The listing's host has not been heard from in time"""

    code = 6031
    name = "ListingOffline"
    message = "The listing's host has not been heard from in time"


class OrderBelowMinimum(ProgramError):
    """The order is worth less than the market's minimum"""

    code = 6032
    name = "OrderBelowMinimum"
    message = "The order is worth less than the market's minimum"


class DurationTooShort(ProgramError):
    """The duration is below the market's minimum"""

    code = 6033
    name = "DurationTooShort"
    message = "The duration is below the market's minimum"


class DurationTooLong(ProgramError):
    """The duration is above the listing's or the market's maximum"""

    code = 6034
    name = "DurationTooLong"
    message = "The duration is above the listing's or the market's maximum"


class InvalidReservedTerm(ProgramError):
    """A reserved rental runs 7, 30 or 90 days"""

    code = 6035
    name = "InvalidReservedTerm"
    message = "A reserved rental runs 7, 30 or 90 days"


class CostAboveMaximum(ProgramError):
    """The cost is above the most the renter agreed to"""

    code = 6036
    name = "CostAboveMaximum"
    message = "The cost is above the most the renter agreed to"


class NonceMismatch(ProgramError):
    """The nonce is not the wallet's next one"""

    code = 6037
    name = "NonceMismatch"
    message = "The nonce is not the wallet's next one"


class SelfRental(ProgramError):
    """A host cannot rent their own machine"""

    code = 6038
    name = "SelfRental"
    message = "A host cannot rent their own machine"


class WrongRenter(ProgramError):
    """The account does not belong to the rental's renter"""

    code = 6039
    name = "WrongRenter"
    message = "The account does not belong to the rental's renter"


class WrongRentalState(ProgramError):
    """The rental is not in a state that allows this"""

    code = 6040
    name = "WrongRentalState"
    message = "The rental is not in a state that allows this"


class RentalExpired(ProgramError):
    """The rental's paid time has ended"""

    code = 6041
    name = "RentalExpired"
    message = "The rental's paid time has ended"


class RentalNotExpired(ProgramError):
    """The rental's paid time has not ended"""

    code = 6042
    name = "RentalNotExpired"
    message = "The rental's paid time has not ended"


class ProvisioningInTime(ProgramError):
    """The host still has time to provision"""

    code = 6043
    name = "ProvisioningInTime"
    message = "The host still has time to provision"


class HostOnline(ProgramError):
    """The host's heartbeat is not overdue"""

    code = 6044
    name = "HostOnline"
    message = "The host's heartbeat is not overdue"


class InvalidRating(ProgramError):
    """A rating is 1 to 5"""

    code = 6045
    name = "InvalidRating"
    message = "A rating is 1 to 5"


class AlreadyRated(ProgramError):
    """The rental has been rated"""

    code = 6046
    name = "AlreadyRated"
    message = "The rental has been rated"


class InvalidConnection(ProgramError):
    """The sealed connection is empty or too long"""

    code = 6047
    name = "InvalidConnection"
    message = "The sealed connection is empty or too long"


class MintAccountMissing(ProgramError):
    """The burn needs the market token's mint account"""

    code = 6048
    name = "MintAccountMissing"
    message = "The burn needs the market token's mint account"


class InvalidHeartbeat(ProgramError):
    """A heartbeat names no listing, or an account that is also used otherwise"""

    code = 6049
    name = "InvalidHeartbeat"
    message = "A heartbeat names no listing, or an account that is also used otherwise"


class ProvisioningOverdue(ProgramError):
    """The time to start the rental has passed"""

    code = 6050
    name = "ProvisioningOverdue"
    message = "The time to start the rental has passed"


class InvalidCloseReason(ProgramError):
    """A host cancels for a fault, for maintenance, or because it refuses the order"""

    code = 6051
    name = "InvalidCloseReason"
    message = "A host cancels for a fault, for maintenance, or because it refuses the order"


class QuotaExceeded(ProgramError):
    """The wallet has as many rentals as its quota allows"""

    code = 6052
    name = "QuotaExceeded"
    message = "The wallet has as many rentals as its quota allows"


class RegionQuotaExceeded(ProgramError):
    """The wallet has as many rentals in this region as its quota allows"""

    code = 6053
    name = "RegionQuotaExceeded"
    message = "The wallet has as many rentals in this region as its quota allows"


class PriorityWindow(ProgramError):
    """The machine is kept for stakers for a moment after it fell idle"""

    code = 6054
    name = "PriorityWindow"
    message = "The machine is kept for stakers for a moment after it fell idle"


class WrongStakeOwner(ProgramError):
    """The account is not the stake account of this wallet"""

    code = 6055
    name = "WrongStakeOwner"
    message = "The account is not the stake account of this wallet"


class PriceFeedMissing(ProgramError):
    """This mint is priced by Pyth: the order must bring a price update"""

    code = 6056
    name = "PriceFeedMissing"
    message = "This mint is priced by Pyth: the order must bring a price update"


class WrongPriceFeed(ProgramError):
    """The account is not a verified Pyth price update of this mint's feed"""

    code = 6057
    name = "WrongPriceFeed"
    message = "The account is not a verified Pyth price update of this mint's feed"


class PriceUncertain(ProgramError):
    """The price's confidence interval is too wide"""

    code = 6058
    name = "PriceUncertain"
    message = "The price's confidence interval is too wide"


class BidTooLow(ProgramError):
    """The bid is below the least that would take the machine"""

    code = 6059
    name = "BidTooLow"
    message = "The bid is below the least that would take the machine"


class InvalidBid(ProgramError):
    """A spot order offers a price, the other kinds none"""

    code = 6060
    name = "InvalidBid"
    message = "A spot order offers a price, the other kinds none"


class SpotNotOffered(ProgramError):
    """The machine takes no spot orders"""

    code = 6061
    name = "SpotNotOffered"
    message = "The machine takes no spot orders"


class RatedTooSoon(ProgramError):
    """The rental has not run long enough to be rated"""

    code = 6062
    name = "RatedTooSoon"
    message = "The rental has not run long enough to be rated"


class RentalWaiting(ProgramError):
    """The rental still waits for the machine"""

    code = 6063
    name = "RentalWaiting"
    message = "The rental still waits for the machine"


class WrongHolder(ProgramError):
    """The account is not the rental that holds the machine"""

    code = 6064
    name = "WrongHolder"
    message = "The account is not the rental that holds the machine"


class WrongChallenger(ProgramError):
    """The account is not the rental that waits for the machine"""

    code = 6065
    name = "WrongChallenger"
    message = "The account is not the rental that waits for the machine"


class SelfChallenge(ProgramError):
    """The renter holds the machine already"""

    code = 6066
    name = "SelfChallenge"
    message = "The renter holds the machine already"


class ChallengerWaiting(ProgramError):
    """Another order waits for the machine"""

    code = 6067
    name = "ChallengerWaiting"
    message = "Another order waits for the machine"


class TakeOverDue(ProgramError):
    """The order that waits for the machine is due to take it over"""

    code = 6068
    name = "TakeOverDue"
    message = "The order that waits for the machine is due to take it over"


class GraceNotOver(ProgramError):
    """The holder's grace has not ended"""

    code = 6069
    name = "GraceNotOver"
    message = "The holder's grace has not ended"


class ChallengerInTime(ProgramError):
    """Only its renter may withdraw an order that can still take over"""

    code = 6070
    name = "ChallengerInTime"
    message = "Only its renter may withdraw an order that can still take over"


class RentalChallenged(ProgramError):
    """The holder's grace is over: the rental cannot be extended"""

    code = 6071
    name = "RentalChallenged"
    message = "The holder's grace is over: the rental cannot be extended"


class NoCharges(ProgramError):
    """The listing charges for nothing beyond its price"""

    code = 6072
    name = "NoCharges"
    message = "The listing charges for nothing beyond its price"


class ChargesAboveAgreed(ProgramError):
    """The listing's charges are above what the renter agreed to"""

    code = 6073
    name = "ChargesAboveAgreed"
    message = "The listing's charges are above what the renter agreed to"


class ReportTooLate(ProgramError):
    """The host's time for a last report has passed"""

    code = 6074
    name = "ReportTooLate"
    message = "The host's time for a last report has passed"


class UsageNotGrowing(ProgramError):
    """Reported totals must grow"""

    code = 6075
    name = "UsageNotGrowing"
    message = "Reported totals must grow"


class StorageAboveLimit(ProgramError):
    """The storage reported is more than the renter's GB could use since the meter opened"""

    code = 6076
    name = "StorageAboveLimit"
    message = "The storage reported is more than the renter's GB could use since the meter opened"


class NothingToDispute(ProgramError):
    """No reported usage is open to dispute"""

    code = 6077
    name = "NothingToDispute"
    message = "No reported usage is open to dispute"


class NothingToAccept(ProgramError):
    """No usage waits for the renter's acceptance"""

    code = 6078
    name = "NothingToAccept"
    message = "No usage waits for the renter's acceptance"


class NothingDisputed(ProgramError):
    """No usage is disputed"""

    code = 6079
    name = "NothingDisputed"
    message = "No usage is disputed"


class DisputeOpen(ProgramError):
    """The renter may still accept what they dispute"""

    code = 6080
    name = "DisputeOpen"
    message = "The renter may still accept what they dispute"


class MeterRunning(ProgramError):
    """The rental has not ended, or the host may still make its last report"""

    code = 6081
    name = "MeterRunning"
    message = "The rental has not ended, or the host may still make its last report"


class UsageUndecided(ProgramError):
    """Reported usage is still pending or disputed"""

    code = 6082
    name = "UsageUndecided"
    message = "Reported usage is still pending or disputed"


class RentalNotStarted(ProgramError):
    """The rental has not started: there is no usage to report"""

    code = 6083
    name = "RentalNotStarted"
    message = "The rental has not started: there is no usage to report"


class MeterMissing(ProgramError):
    """The rental has a meter, and its ending must bring it"""

    code = 6084
    name = "MeterMissing"
    message = "The rental has a meter, and its ending must bring it"


class WrongRental(ProgramError):
    """The account is not the rental of this meter"""

    code = 6085
    name = "WrongRental"
    message = "The account is not the rental of this meter"


class InsufficientStake(ProgramError):
    """The account holds less stake than that"""

    code = 6086
    name = "InsufficientStake"
    message = "The account holds less stake than that"


class VoteLocked(ProgramError):
    """The stake has voted and stays until the vote ends"""

    code = 6087
    name = "VoteLocked"
    message = "The stake has voted and stays until the vote ends"


class StakeCooling(ProgramError):
    """The stake is still cooling down"""

    code = 6088
    name = "StakeCooling"
    message = "The stake is still cooling down"


class NothingToWithdraw(ProgramError):
    """Nothing is on its way out"""

    code = 6089
    name = "NothingToWithdraw"
    message = "Nothing is on its way out"


class NothingToClaim(ProgramError):
    """No rewards have been earned in this mint since the last claim"""

    code = 6090
    name = "NothingToClaim"
    message = "No rewards have been earned in this mint since the last claim"


class UnknownRewardStream(ProgramError):
    """The pool pays no rewards in this mint"""

    code = 6091
    name = "UnknownRewardStream"
    message = "The pool pays no rewards in this mint"


class RewardMintExists(ProgramError):
    """The pool already pays rewards in this mint"""

    code = 6092
    name = "RewardMintExists"
    message = "The pool already pays rewards in this mint"


class TooManyRewardMints(ProgramError):
    """The pool pays rewards in as many mints as it can"""

    code = 6093
    name = "TooManyRewardMints"
    message = "The pool pays rewards in as many mints as it can"


class WrongPoolAccount(ProgramError):
    """The token account is not the one that keeps these tokens"""

    code = 6094
    name = "WrongPoolAccount"
    message = "The token account is not the one that keeps these tokens"


class UnknownGpuModel(ProgramError):
    """The GPU model has no number in the catalog"""

    code = 6095
    name = "UnknownGpuModel"
    message = "The GPU model has no number in the catalog"


class InsufficientLock(ProgramError):
    """The host has locked less than that"""

    code = 6096
    name = "InsufficientLock"
    message = "The host has locked less than that"


class LockNotOver(ProgramError):
    """The unlocked tokens may not leave yet"""

    code = 6097
    name = "LockNotOver"
    message = "The unlocked tokens may not leave yet"


class StakeTooSmall(ProgramError):
    """The wallet's active stake is too small for this"""

    code = 6098
    name = "StakeTooSmall"
    message = "The wallet's active stake is too small for this"


class NoActiveStake(ProgramError):
    """The wallet has no stake that has been active since the proposal opened"""

    code = 6099
    name = "NoActiveStake"
    message = "The wallet has no stake that has been active since the proposal opened"


class TitleTooLong(ProgramError):
    """The proposal's title is too long"""

    code = 6100
    name = "TitleTooLong"
    message = "The proposal's title is too long"


class WrongProposalState(ProgramError):
    """The proposal is not in a state that allows this"""

    code = 6101
    name = "WrongProposalState"
    message = "The proposal is not in a state that allows this"


class VoteEnded(ProgramError):
    """The vote has ended"""

    code = 6102
    name = "VoteEnded"
    message = "The vote has ended"


class VoteOpen(ProgramError):
    """The vote has not ended"""

    code = 6103
    name = "VoteOpen"
    message = "The vote has not ended"


class TimelockRunning(ProgramError):
    """The proposal's timelock is still running"""

    code = 6104
    name = "TimelockRunning"
    message = "The proposal's timelock is still running"


class ProposalExpired(ProgramError):
    """The proposal was not counted or executed in time"""

    code = 6105
    name = "ProposalExpired"
    message = "The proposal was not counted or executed in time"


class WrongAction(ProgramError):
    """The accounts are not those of the proposal's action"""

    code = 6106
    name = "WrongAction"
    message = "The accounts are not those of the proposal's action"


class BufferChanged(ProgramError):
    """The buffer is not the code that was voted on"""

    code = 6107
    name = "BufferChanged"
    message = "The buffer is not the code that was voted on"


class WrongProposal(ProgramError):
    """The account is not the proposal of this vote"""

    code = 6108
    name = "WrongProposal"
    message = "The account is not the proposal of this vote"


class WrongVoter(ProgramError):
    """The account is not the wallet that voted"""

    code = 6109
    name = "WrongVoter"
    message = "The account is not the wallet that voted"


class SpotRequest(ProgramError):
    """A spot order bids for one machine: it cannot be a request"""

    code = 6110
    name = "SpotRequest"
    message = "A spot order bids for one machine: it cannot be a request"


class InvalidRequest(ProgramError):
    """The request asks for what no machine can be, or ends in the past or too late"""

    code = 6111
    name = "InvalidRequest"
    message = "The request asks for what no machine can be, or ends in the past or too late"


class DepositTooSmall(ProgramError):
    """The deposit does not cover the request at the highest price it allows"""

    code = 6112
    name = "DepositTooSmall"
    message = "The deposit does not cover the request at the highest price it allows"


class ListingUnfit(ProgramError):
    """The machine is not what the request asks for"""

    code = 6113
    name = "ListingUnfit"
    message = "The machine is not what the request asks for"


class RequestOver(ProgramError):
    """The request has ended"""

    code = 6114
    name = "RequestOver"
    message = "The request has ended"


class RequestNotExpired(ProgramError):
    """The request has not ended"""

    code = 6115
    name = "RequestNotExpired"
    message = "The request has not ended"


class StakeNotEmpty(ProgramError):
    """The account still holds stake or rewards"""

    code = 6116
    name = "StakeNotEmpty"
    message = "The account still holds stake or rewards"


class BidTooHigh(ProgramError):
    """The bid is above the listing's price on demand"""

    code = 6117
    name = "BidTooHigh"
    message = "The bid is above the listing's price on demand"


class PriceBelowHolder(ProgramError):
    """The order's price is below that of the rental in its way"""

    code = 6118
    name = "PriceBelowHolder"
    message = "The order's price is below that of the rental in its way"


class PostTooSoon(ProgramError):
    """The price was posted too recently to move again"""

    code = 6119
    name = "PostTooSoon"
    message = "The price was posted too recently to move again"


class PriceStepTooLarge(ProgramError):
    """The price moves further than one post may move it"""

    code = 6120
    name = "PriceStepTooLarge"
    message = "The price moves further than one post may move it"


class RentalRepriced(ProgramError):
    """The token's price or terms have moved too far since the rental opened"""

    code = 6121
    name = "RentalRepriced"
    message = "The token's price or terms have moved too far since the rental opened"


class JustWithdrawn(ProgramError):
    """An order that waited has just been withdrawn: the machine takes the next one a second later"""

    code = 6122
    name = "JustWithdrawn"
    message = "An order that waited has just been withdrawn: the machine takes the next one a second later"


class AnswerPending(ProgramError):
    """The host may still answer the mark"""

    code = 6123
    name = "AnswerPending"
    message = "The host may still answer the mark"


class AlreadySilent(ProgramError):
    """The host is known to be silent"""

    code = 6124
    name = "AlreadySilent"
    message = "The host is known to be silent"


class SpecChanged(ProgramError):
    """The machine is no longer what the renter has seen: its specification has changed"""

    code = 6125
    name = "SpecChanged"
    message = "The machine is no longer what the renter has seen: its specification has changed"


class WrongPayee(ProgramError):
    """SOL is paid to the payee's wallet itself"""

    code = 6126
    name = "WrongPayee"
    message = "SOL is paid to the payee's wallet itself"


class NotAssociated(ProgramError):
    """Only the payee may name another account than their associated token account"""

    code = 6127
    name = "NotAssociated"
    message = "Only the payee may name another account than their associated token account"


class PayeeNotPayable(ProgramError):
    """The payee cannot be paid now: a token account is missing or frozen, or a wallet would not keep its rent"""

    code = 6128
    name = "PayeeNotPayable"
    message = "The payee cannot be paid now: a token account is missing or frozen, or a wallet would not keep its rent"


class PayoutUnclaimed(ProgramError):
    """The host has not claimed what this listing's last rental paid"""

    code = 6129
    name = "PayoutUnclaimed"
    message = "The host has not claimed what this listing's last rental paid"


class FreezableMarketToken(ProgramError):
    """The market token's mint must not have a freeze authority"""

    code = 6130
    name = "FreezableMarketToken"
    message = "The market token's mint must not have a freeze authority"


class WrongOperator(ProgramError):
    """The signer is not the operator of this listing"""

    code = 6131
    name = "WrongOperator"
    message = "The signer is not the operator of this listing"


class InvalidOperator(ProgramError):
    """The operator is all zeros"""

    code = 6132
    name = "InvalidOperator"
    message = "The operator is all zeros"


class FinishNotAgreed(ProgramError):
    """The renter has not agreed that the host ends the rental with its command"""

    code = 6133
    name = "FinishNotAgreed"
    message = "The renter has not agreed that the host ends the rental with its command"


class ContestWindowOpen(ProgramError):
    """The renter may still contest that the rental has finished"""

    code = 6134
    name = "ContestWindowOpen"
    message = "The renter may still contest that the rental has finished"


class ContestWindowOver(ProgramError):
    """The time to contest that the rental has finished is over"""

    code = 6135
    name = "ContestWindowOver"
    message = "The time to contest that the rental has finished is over"


class HoldbackPending(ProgramError):
    """A finished rental of this listing still holds something back for the host"""

    code = 6136
    name = "HoldbackPending"
    message = "A finished rental of this listing still holds something back for the host"


class ProposalLive(ProgramError):
    """The staker's last proposal is not closed"""

    code = 6137
    name = "ProposalLive"
    message = "The staker's last proposal is not closed"


class ProposalNotOver(ProgramError):
    """Something may still become of the proposal"""

    code = 6138
    name = "ProposalNotOver"
    message = "Something may still become of the proposal"


class NotCritical(ProgramError):
    """The guardian vetoes upgrades and the treasury's payments, and nothing else"""

    code = 6139
    name = "NotCritical"
    message = "The guardian vetoes upgrades and the treasury's payments, and nothing else"


class PauseTooSoon(ProgramError):
    """The guardian's last pause of this area has not been over for long enough"""

    code = 6140
    name = "PauseTooSoon"
    message = "The guardian's last pause of this area has not been over for long enough"


class RentalsOpen(ProgramError):
    """The renter still has rentals"""

    code = 6141
    name = "RentalsOpen"
    message = "The renter still has rentals"


class AccountTooNew(ProgramError):
    """The account is too new to be closed: one made now could use its nonces again"""

    code = 6142
    name = "AccountTooNew"
    message = "The account is too new to be closed: one made now could use its nonces again"


class WrongGpuModel(ProgramError):
    """The account is not that of the machine's GPU model"""

    code = 6143
    name = "WrongGpuModel"
    message = "The account is not that of the machine's GPU model"


class SubsidyBudgetSpent(ProgramError):
    """The host's subsidy budget of the day does not cover the extension"""

    code = 6144
    name = "SubsidyBudgetSpent"
    message = "The host's subsidy budget of the day does not cover the extension"


class SubsidyHoursSpent(ProgramError):
    """The rental's subsidy covers no more hours: rent anew"""

    code = 6145
    name = "SubsidyHoursSpent"
    message = "The rental's subsidy covers no more hours: rent anew"


class WrongLayout(ProgramError):
    """The account has a layout that this version of the program does not know: it must be migrated first"""

    code = 6146
    name = "WrongLayout"
    message = "The account has a layout that this version of the program does not know: it must be migrated first"


class RentNotSwept(ProgramError):
    """The lamports of this account stay with it until it is closed"""

    code = 6147
    name = "RentNotSwept"
    message = "The lamports of this account stay with it until it is closed"


class NothingToSweep(ProgramError):
    """The account holds no lamports beyond its rent"""

    code = 6148
    name = "NothingToSweep"
    message = "The account holds no lamports beyond its rent"


class WrongOwner(ProgramError):
    """The account is somebody else's"""

    code = 6149
    name = "WrongOwner"
    message = "The account is somebody else's"


class AlreadyExtended(ProgramError):
    """The rental has been extended since: its paid time is another"""

    code = 6150
    name = "AlreadyExtended"
    message = "The rental has been extended since: its paid time is another"


class ReservedFinish(ProgramError):
    """A reserved rental is for its whole term: its host cannot end it with its command"""

    code = 6151
    name = "ReservedFinish"
    message = "A reserved rental is for its whole term: its host cannot end it with its command"


class JustPlaced(ProgramError):
    """The order was placed in this second: it can be withdrawn from the next one on"""

    code = 6152
    name = "JustPlaced"
    message = "The order was placed in this second: it can be withdrawn from the next one on"


class OrderBound(ProgramError):
    """The order has outbid another, or came soon after a withdrawal: it waits until it holds the machine"""

    code = 6153
    name = "OrderBound"
    message = "The order has outbid another, or came soon after a withdrawal: it waits until it holds the machine"


class WrongMatcher(ProgramError):
    """The account is not that of whoever matched the rental's request, writable, to be paid"""

    code = 6154
    name = "WrongMatcher"
    message = "The account is not that of whoever matched the rental's request, writable, to be paid"


class DiscountSpent(ProgramError):
    """A stake's discount covers no more of the rental's time: place a new order"""

    code = 6155
    name = "DiscountSpent"
    message = "A stake's discount covers no more of the rental's time: place a new order"


class SubsidyShareSpent(ProgramError):
    """The share of the subsidy pool that may leave this vault today does not cover the extension"""

    code = 6156
    name = "SubsidyShareSpent"
    message = "The share of the subsidy pool that may leave this vault today does not cover the extension"


class HostMissing(ProgramError):
    """The rental draws on its host's subsidy budget of today, and its ending must bring the host"""

    code = 6157
    name = "HostMissing"
    message = "The rental draws on its host's subsidy budget of today, and its ending must bring the host"


ERRORS: Final[Mapping[int, type[ProgramError]]] = MappingProxyType(
    {
        kind.code: kind
        for kind in (
            Unauthorized,
            Paused,
            ParameterOutOfBounds,
            MathOverflow,
            LedgerMismatch,
            ZeroAmount,
            Token2022Unsupported,
            InvalidMint,
            NativeMarketToken,
            MintDisabled,
            TermsNotForThisMint,
            PriceMissing,
            PriceStale,
            WrongOracle,
            OracleNotPosted,
            SubsidyPoolTooSmall,
            InvalidTokenAccount,
            TokenAccountFrozen,
            WrongMint,
            WrongTokenOwner,
            WrongVault,
            ShardOutOfRange,
            InsufficientFunds,
            WrongUpgradeAuthority,
            HostNotApproved,
            WrongHost,
            InvalidSealKey,
            InvalidListingSpec,
            WrongListing,
            ListingOccupied,
            ListingHidden,
            ListingOffline,
            OrderBelowMinimum,
            DurationTooShort,
            DurationTooLong,
            InvalidReservedTerm,
            CostAboveMaximum,
            NonceMismatch,
            SelfRental,
            WrongRenter,
            WrongRentalState,
            RentalExpired,
            RentalNotExpired,
            ProvisioningInTime,
            HostOnline,
            InvalidRating,
            AlreadyRated,
            InvalidConnection,
            MintAccountMissing,
            InvalidHeartbeat,
            ProvisioningOverdue,
            InvalidCloseReason,
            QuotaExceeded,
            RegionQuotaExceeded,
            PriorityWindow,
            WrongStakeOwner,
            PriceFeedMissing,
            WrongPriceFeed,
            PriceUncertain,
            BidTooLow,
            InvalidBid,
            SpotNotOffered,
            RatedTooSoon,
            RentalWaiting,
            WrongHolder,
            WrongChallenger,
            SelfChallenge,
            ChallengerWaiting,
            TakeOverDue,
            GraceNotOver,
            ChallengerInTime,
            RentalChallenged,
            NoCharges,
            ChargesAboveAgreed,
            ReportTooLate,
            UsageNotGrowing,
            StorageAboveLimit,
            NothingToDispute,
            NothingToAccept,
            NothingDisputed,
            DisputeOpen,
            MeterRunning,
            UsageUndecided,
            RentalNotStarted,
            MeterMissing,
            WrongRental,
            InsufficientStake,
            VoteLocked,
            StakeCooling,
            NothingToWithdraw,
            NothingToClaim,
            UnknownRewardStream,
            RewardMintExists,
            TooManyRewardMints,
            WrongPoolAccount,
            UnknownGpuModel,
            InsufficientLock,
            LockNotOver,
            StakeTooSmall,
            NoActiveStake,
            TitleTooLong,
            WrongProposalState,
            VoteEnded,
            VoteOpen,
            TimelockRunning,
            ProposalExpired,
            WrongAction,
            BufferChanged,
            WrongProposal,
            WrongVoter,
            SpotRequest,
            InvalidRequest,
            DepositTooSmall,
            ListingUnfit,
            RequestOver,
            RequestNotExpired,
            StakeNotEmpty,
            BidTooHigh,
            PriceBelowHolder,
            PostTooSoon,
            PriceStepTooLarge,
            RentalRepriced,
            JustWithdrawn,
            AnswerPending,
            AlreadySilent,
            SpecChanged,
            WrongPayee,
            NotAssociated,
            PayeeNotPayable,
            PayoutUnclaimed,
            FreezableMarketToken,
            WrongOperator,
            InvalidOperator,
            FinishNotAgreed,
            ContestWindowOpen,
            ContestWindowOver,
            HoldbackPending,
            ProposalLive,
            ProposalNotOver,
            NotCritical,
            PauseTooSoon,
            RentalsOpen,
            AccountTooNew,
            WrongGpuModel,
            SubsidyBudgetSpent,
            SubsidyHoursSpent,
            WrongLayout,
            RentNotSwept,
            NothingToSweep,
            WrongOwner,
            AlreadyExtended,
            ReservedFinish,
            JustPlaced,
            OrderBound,
            WrongMatcher,
            DiscountSpent,
            SubsidyShareSpent,
            HostMissing,
        )
    }
)


def from_code(code: int, context: str = "") -> ProgramError:
    """The exception for a custom error code: the program's, Anchor's own, or UnknownProgramError."""
    return error_for(code, ERRORS, context)
