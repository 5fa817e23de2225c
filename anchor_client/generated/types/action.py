"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import TaggedUnion

from .gpu_terms import GpuTerms
from .market_key import MarketKey
from .market_parameter import MarketParameter
from .pause_area import PauseArea
from .payment_mint_terms import PaymentMintTerms


class Action(TaggedUnion):
    """Act of a proposal, done once its vote has passed and its timelock has run out."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ActionSetParameter(Action):
    """Action: SetParameter."""

    LAYOUT: ClassVar[Fields] = Fields(parameter=layouts.unit_enum(MarketParameter), value=layouts.U64)

    parameter: MarketParameter
    value: int


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ActionSetKey(Action):
    """Action: SetKey."""

    LAYOUT: ClassVar[Fields] = Fields(key=layouts.unit_enum(MarketKey), new=layouts.PUBKEY)

    key: MarketKey
    new: Pubkey


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ActionSetPaused(Action):
    """Action: SetPaused."""

    LAYOUT: ClassVar[Fields] = Fields(area=layouts.unit_enum(PauseArea), paused=layouts.BOOL)

    area: PauseArea
    paused: bool


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ActionApproveHost(Action):
    """Action: ApproveHost."""

    LAYOUT: ClassVar[Fields] = Fields(host=layouts.PUBKEY, approved=layouts.BOOL, subsidy_budget=layouts.U64)

    host: Pubkey
    approved: bool
    subsidy_budget: int
    """Base units of subsidy that its machines may draw in a day."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ActionAddPaymentMint(Action):
    """Action: AddPaymentMint."""

    LAYOUT: ClassVar[Fields] = Fields(mint=layouts.PUBKEY, terms=layouts.struct(PaymentMintTerms))

    mint: Pubkey
    terms: PaymentMintTerms


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ActionUpdatePaymentMint(Action):
    """Action: UpdatePaymentMint."""

    LAYOUT: ClassVar[Fields] = Fields(payment_mint=layouts.PUBKEY, terms=layouts.struct(PaymentMintTerms))

    payment_mint: Pubkey
    terms: PaymentMintTerms


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ActionTreasuryTransfer(Action):
    """Action: TreasuryTransfer."""

    LAYOUT: ClassVar[Fields] = Fields(mint=layouts.PUBKEY, to=layouts.PUBKEY, amount=layouts.U64)

    mint: Pubkey
    to: Pubkey
    amount: int


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ActionUpgradeProgram(Action):
    """Action: UpgradeProgram."""

    LAYOUT: ClassVar[Fields] = Fields(buffer=layouts.PUBKEY, sha256=layouts.byte_array(32))

    buffer: Pubkey
    sha256: bytes


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ActionAddRewardMint(Action):
    """Action: AddRewardMint."""

    LAYOUT: ClassVar[Fields] = Fields(mint=layouts.PUBKEY)

    mint: Pubkey


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ActionSetGpuModel(Action):
    """Action: SetGpuModel."""

    LAYOUT: ClassVar[Fields] = Fields(number=layouts.U16, terms=layouts.struct(GpuTerms))

    number: int
    terms: GpuTerms


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ActionWithdrawUnreserved(Action):
    """Action: WithdrawUnreserved."""

    LAYOUT: ClassVar[Fields] = Fields(mint=layouts.PUBKEY, shard=layouts.U8, amount=layouts.U64)

    mint: Pubkey
    shard: int
    amount: int


Action.VARIANTS = (
    ActionSetParameter,
    ActionSetKey,
    ActionSetPaused,
    ActionApproveHost,
    ActionAddPaymentMint,
    ActionUpdatePaymentMint,
    ActionTreasuryTransfer,
    ActionUpgradeProgram,
    ActionAddRewardMint,
    ActionSetGpuModel,
    ActionWithdrawUnreserved,
)
