"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from anchor_client.idl_runtime.program_errors import FrameworkError, ProgramError, UnknownProgramError, error_for

__all__ = [
    "ERRORS",
    "AlreadyRated",
    "BidTooLow",
    "CostAboveMaximum",
    "DepositTooSmall",
    "DurationTooLong",
    "DurationTooShort",
    "FrameworkError",
    "HostNotApproved",
    "HostOnline",
    "InsufficientFunds",
    "InvalidBid",
    "InvalidCloseReason",
    "InvalidConnection",
    "InvalidHeartbeat",
    "InvalidListingSpec",
    "InvalidMint",
    "InvalidRating",
    "InvalidRequest",
    "InvalidReservedTerm",
    "InvalidSealKey",
    "InvalidTokenAccount",
    "LedgerMismatch",
    "ListingHidden",
    "ListingOccupied",
    "ListingOffline",
    "ListingUnfit",
    "MathOverflow",
    "MintAccountMissing",
    "MintDisabled",
    "NativeMarketToken",
    "NonceMismatch",
    "OracleNotPosted",
    "OrderBelowMinimum",
    "ParameterOutOfBounds",
    "Paused",
    "PriceFeedMissing",
    "PriceMissing",
    "PriceStale",
    "PriceUncertain",
    "PriorityWindow",
    "ProgramError",
    "ProvisioningInTime",
    "ProvisioningOverdue",
    "QuotaExceeded",
    "RegionQuotaExceeded",
    "RentalExpired",
    "RentalNotExpired",
    "RequestNotExpired",
    "RequestOver",
    "SelfRental",
    "ShardOutOfRange",
    "SpotNotOffered",
    "SpotRequest",
    "SubsidyPoolTooSmall",
    "TermsNotForThisMint",
    "Token2022Unsupported",
    "TokenAccountFrozen",
    "Unauthorized",
    "UnknownProgramError",
    "WrongHost",
    "WrongListing",
    "WrongMint",
    "WrongOracle",
    "WrongPriceFeed",
    "WrongRentalState",
    "WrongRenter",
    "WrongStakeOwner",
    "WrongTokenOwner",
    "WrongUpgradeAuthority",
    "WrongVault",
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
    """The subsidy pool of this vault is too small for the order"""

    code = 6015
    name = "SubsidyPoolTooSmall"
    message = "The subsidy pool of this vault is too small for the order"


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
    """The nonce is not the renter's next one"""

    code = 6037
    name = "NonceMismatch"
    message = "The nonce is not the renter's next one"


class SelfRental(ProgramError):
    """A host cannot rent from himself"""

    code = 6038
    name = "SelfRental"
    message = "A host cannot rent from himself"


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
    """A host cancels for a fault, for maintenance, or because it will not run the order"""

    code = 6051
    name = "InvalidCloseReason"
    message = "A host cancels for a fault, for maintenance, or because it will not run the order"


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
    """The stake account belongs to someone else"""

    code = 6055
    name = "WrongStakeOwner"
    message = "The stake account belongs to someone else"


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


class SpotRequest(ProgramError):
    """A spot order bids for one machine: it cannot be a request"""

    code = 6062
    name = "SpotRequest"
    message = "A spot order bids for one machine: it cannot be a request"


class InvalidRequest(ProgramError):
    """The request asks for what no machine can be, or ends in the past or too late"""

    code = 6063
    name = "InvalidRequest"
    message = "The request asks for what no machine can be, or ends in the past or too late"


class DepositTooSmall(ProgramError):
    """The deposit does not cover the request at the highest price it allows"""

    code = 6064
    name = "DepositTooSmall"
    message = "The deposit does not cover the request at the highest price it allows"


class ListingUnfit(ProgramError):
    """The machine is not what the request asks for"""

    code = 6065
    name = "ListingUnfit"
    message = "The machine is not what the request asks for"


class RequestOver(ProgramError):
    """The request has ended"""

    code = 6066
    name = "RequestOver"
    message = "The request has ended"


class RequestNotExpired(ProgramError):
    """The request has not ended"""

    code = 6067
    name = "RequestNotExpired"
    message = "The request has not ended"


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
            SpotRequest,
            InvalidRequest,
            DepositTooSmall,
            ListingUnfit,
            RequestOver,
            RequestNotExpired,
        )
    }
)


def from_code(code: int, context: str = "") -> ProgramError:
    """The exception for a custom error code: the program's, Anchor's own, or UnknownProgramError."""
    return error_for(code, ERRORS, context)
