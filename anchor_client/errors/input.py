"""Invalid input, detected before sending."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from anchor_client.amounts import Denomination
from anchor_client.service.errors import GpuMarketError


class _UnknownName(GpuMarketError):
    """A name that is not in a list; the remedy names the nearest one."""

    noun = "name"
    listed_by: str | None = None
    """A sentence on how to list the names, if there are too many to show."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        names = list(known)
        near = [each for each in names if each.startswith(name)][:1] or get_close_matches(name, names, n=1)
        others = self.listed_by or f"Choose one of {', '.join(names)}."
        remedy = f"Did you mean {near[0]}?" if near else others
        super().__init__(f"There is no {self.noun} {name!r}", remedy)
        self.name = name


class UnknownGpu(_UnknownName):
    """No GPU model of this slug is in the catalog."""

    noun = "GPU model"
    listed_by = "`gpu-market gpus --all` lists them; others have numbers from 1 to 65535."


class AmbiguousGpu(GpuMarketError):
    """Several GPU models fit the name."""

    NAMED = 8

    def __init__(self, name: str, fitting: Sequence[str]) -> None:
        more = f" and {len(fitting) - self.NAMED} more" if len(fitting) > self.NAMED else ""
        remedy = f"Choose one of {', '.join(fitting[: self.NAMED])}{more}."
        super().__init__(f"{name!r} fits {len(fitting)} GPU models", remedy)
        self.name = name


class UnknownRegion(_UnknownName):
    """No region of this slug is in the catalog."""

    noun = "region"


class UnknownKind(_UnknownName):
    """Rentals are on-demand, spot or reserved."""

    noun = "kind of rental"


class UnknownIssue(_UnknownName):
    """Renters cannot report an issue of this name."""

    noun = "reportable issue"


class UnknownPaymentToken(_UnknownName):
    """The market does not accept payment in this token."""

    noun = "payment token"


class UnknownJob(GpuMarketError):
    """No rental has ever been at this address."""

    default_remedy = "Check the id and the cluster; `gpu-market jobs` lists yours."


class NotWaiting(GpuMarketError):
    """An order to withdraw that does not wait for its machine."""

    default_remedy = "If it has its machine, end it: `gpu-market stop JOB`."


class UnknownRequest(GpuMarketError):
    """No request has ever been at this address."""

    default_remedy = "Check the id and the cluster; `gpu-market request list` lists yours."


class UnknownListing(GpuMarketError):
    """No listing is at this address."""

    default_remedy = "Check the address and the cluster; `gpu-market listings` shows what is on offer."


class UnknownHost(GpuMarketError):
    """The wallet is not registered as a host."""

    default_remedy = "Register it first: `gpu-market host register`."


class UnknownMarket(GpuMarketError):
    """The program's market account is not on this cluster."""

    default_remedy = "Check --rpc or --cluster and the program id; on a laptop `gpu-market up` starts a market."


class UnknownVault(GpuMarketError):
    """No vault of the payment mint can hold the escrow."""

    default_remedy = "Pay in another token, or ask the market's authority to add a vault for this mint."


class UnknownMeter(GpuMarketError):
    """The rental has no open meter."""

    default_remedy = "Check the job's id; a job has a meter if it was rented with --max-charges, until it is closed."


class UnknownProposal(GpuMarketError):
    """No proposal has this number."""

    default_remedy = "Check the number and the cluster; `gpu-market governance list` shows them all."


class UnknownVote(GpuMarketError):
    """The wallet's vote on the proposal has no account."""

    default_remedy = (
        "Check the number, the wallet and the cluster: a vote's account is closed once its rent is returned."
    )


class NothingAvailable(GpuMarketError):
    """No idle, visible, online listing fits the order."""

    default_remedy = "Raise the maximum price, rent for a shorter time, or look at `gpu-market listings`."


class ListingDisagrees(GpuMarketError):
    """The listing that an order names is not what else it asks for."""

    default_remedy = "Name the listing alone, or leave it out to get the cheapest machine that fits."


class NoPool(GpuMarketError):
    """The market has no stake pool."""

    default_remedy = "Ask the market's authority to open staking."


class NoCatalog(GpuMarketError):
    """The market has no catalog of GPU models."""

    default_remedy = "Ask the market's authority to open the catalog."


class NoStake(GpuMarketError):
    """The wallet has no stake account."""

    default_remedy = "Stake first: `gpu-market staking stake`."


class _Short(GpuMarketError):
    """The wallet holds less than is needed; amounts are base units."""

    def __init__(self, message: str, remedy: str, token: Denomination, needed: int, held: int) -> None:
        super().__init__(f"{message}, but the wallet holds {token.say(held)}", remedy)
        self.token = token.symbol
        self.needed = needed
        self.held = held


class TooFewTokens(_Short):
    """The wallet holds less than it is to stake, lock or give."""

    def __init__(self, token: Denomination, needed: int, held: int) -> None:
        remedy = f"Add {token.say(needed - held)}, or choose a smaller amount."
        super().__init__(f"This takes {token.say(needed)}", remedy, token, needed, held)


class InsufficientBalance(_Short):
    """The wallet holds less than the order costs."""

    def __init__(self, token: Denomination, needed: int, held: int) -> None:
        remedy = f"Add {token.say(needed - held)}, rent for a shorter time, or pay in another token."
        super().__init__(f"The order costs up to {token.say(needed)}", remedy, token, needed, held)


class InvalidOrder(GpuMarketError):
    """An order document breaks one of its limits."""

    default_remedy = "Change the named part of the order."


class OrderNotSealed(GpuMarketError):
    """A sealed document cannot be opened with this key."""

    default_remedy = "Use the key that the document was sealed to."


class OrderNotSigned(GpuMarketError):
    """The signature of a sealed order is not its renter's."""

    default_remedy = "Sign the order with the wallet that rents."


class FiguresNotSigned(GpuMarketError):
    """The signature of a machine's figures is not its operator's."""

    default_remedy = "Sign them with the key that serves the listing."


class ReachNotSigned(GpuMarketError):
    """The signature of a request to try a machine's ports is not its operator's."""

    default_remedy = "Sign it with the key that serves the listing."


class TemplateMissing(GpuMarketError):
    """No saved template has this name, or its file is not an order."""

    default_remedy = "Save it first with --save-template NAME."


class WalletNeeded(GpuMarketError):
    """The action must be signed, and the client was connected without a key."""

    default_remedy = "Choose a key file with --keypair, or create one with `gpu-market wallet new`."


class WrongWallet(GpuMarketError):
    """The action is another wallet's."""

    default_remedy = "Sign with the wallet that it names."


class NothingToSend(GpuMarketError):
    """The action would change nothing."""

    default_remedy = "Nothing to do: it is as it should be, or nothing was named."

    def __init__(self, message: str = "There is nothing to change", remedy: str | None = None) -> None:
        super().__init__(message, remedy)


class AllowanceSpent(GpuMarketError):
    """The renter's allowance for extensions does not cover another one."""

    default_remedy = "Allow more with --max-extensions and --max-total, or let the job end."
