"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.idl_runtime.discriminators import entry_for
from anchor_client.idl_runtime.errors import UnknownInstruction
from anchor_client.idl_runtime.instructions import DecodedInstruction, InstructionSpec

from ..program import PROGRAM_ID
from .accept_rental import SPEC as _accept_rental
from .accept_rental import accept_rental
from .add_payment_mint import SPEC as _add_payment_mint
from .add_payment_mint import add_payment_mint
from .add_vault import SPEC as _add_vault
from .add_vault import add_vault
from .approve_host import SPEC as _approve_host
from .approve_host import approve_host
from .cancel_rental import SPEC as _cancel_rental
from .cancel_rental import cancel_rental
from .cancel_request import SPEC as _cancel_request
from .cancel_request import cancel_request
from .cancel_unstarted import SPEC as _cancel_unstarted
from .cancel_unstarted import cancel_unstarted
from .close_listing import SPEC as _close_listing
from .close_listing import close_listing
from .create_listing import SPEC as _create_listing
from .create_listing import create_listing
from .expire_request import SPEC as _expire_request
from .expire_request import expire_request
from .extend_rental import SPEC as _extend_rental
from .extend_rental import extend_rental
from .finalize_rental import SPEC as _finalize_rental
from .finalize_rental import finalize_rental
from .fund_subsidy import SPEC as _fund_subsidy
from .fund_subsidy import fund_subsidy
from .heartbeat import SPEC as _heartbeat
from .heartbeat import heartbeat
from .initialize_market import SPEC as _initialize_market
from .initialize_market import initialize_market
from .match_request import SPEC as _match_request
from .match_request import match_request
from .open_rental import SPEC as _open_rental
from .open_rental import open_rental
from .open_request import SPEC as _open_request
from .open_request import open_request
from .post_price import SPEC as _post_price
from .post_price import post_price
from .rate_rental import SPEC as _rate_rental
from .rate_rental import rate_rental
from .register_host import SPEC as _register_host
from .register_host import register_host
from .register_renter import SPEC as _register_renter
from .register_renter import register_renter
from .report_offline import SPEC as _report_offline
from .report_offline import report_offline
from .set_paused import SPEC as _set_paused
from .set_paused import set_paused
from .settle_rental import SPEC as _settle_rental
from .settle_rental import settle_rental
from .start_rental import SPEC as _start_rental
from .start_rental import start_rental
from .stop_rental import SPEC as _stop_rental
from .stop_rental import stop_rental
from .sweep_fees import SPEC as _sweep_fees
from .sweep_fees import sweep_fees
from .update_host import SPEC as _update_host
from .update_host import update_host
from .update_listing import SPEC as _update_listing
from .update_listing import update_listing
from .update_market import SPEC as _update_market
from .update_market import update_market
from .update_market_key import SPEC as _update_market_key
from .update_market_key import update_market_key
from .update_payment_mint import SPEC as _update_payment_mint
from .update_payment_mint import update_payment_mint

__all__ = [
    "INSTRUCTIONS",
    "DecodedInstruction",
    "UnknownInstruction",
    "accept_rental",
    "add_payment_mint",
    "add_vault",
    "approve_host",
    "cancel_rental",
    "cancel_request",
    "cancel_unstarted",
    "close_listing",
    "create_listing",
    "decode_instruction",
    "expire_request",
    "extend_rental",
    "finalize_rental",
    "fund_subsidy",
    "heartbeat",
    "initialize_market",
    "match_request",
    "open_rental",
    "open_request",
    "post_price",
    "rate_rental",
    "register_host",
    "register_renter",
    "report_offline",
    "set_paused",
    "settle_rental",
    "start_rental",
    "stop_rental",
    "sweep_fees",
    "update_host",
    "update_listing",
    "update_market",
    "update_market_key",
    "update_payment_mint",
]


INSTRUCTIONS: Final[Mapping[bytes, InstructionSpec]] = MappingProxyType(
    {
        spec.discriminator: spec
        for spec in (
            _accept_rental,
            _add_payment_mint,
            _add_vault,
            _approve_host,
            _cancel_rental,
            _cancel_request,
            _cancel_unstarted,
            _close_listing,
            _create_listing,
            _expire_request,
            _extend_rental,
            _finalize_rental,
            _fund_subsidy,
            _heartbeat,
            _initialize_market,
            _match_request,
            _open_rental,
            _open_request,
            _post_price,
            _rate_rental,
            _register_host,
            _register_renter,
            _report_offline,
            _set_paused,
            _settle_rental,
            _start_rental,
            _stop_rental,
            _sweep_fees,
            _update_host,
            _update_listing,
            _update_market,
            _update_market_key,
            _update_payment_mint,
        )
    }
)


def decode_instruction(instruction: Instruction, program_id: Pubkey = PROGRAM_ID) -> DecodedInstruction:
    """Takes an instruction apart.

    Raises UnknownInstruction if it is another program's or has no known discriminator, MissingAccount if it has too
    few accounts, LayoutTooShort or InvalidValue if its arguments cannot be read.
    """
    if instruction.program_id != program_id:
        raise UnknownInstruction(f"the instruction is one of {instruction.program_id}, not of {program_id}")
    data = bytes(instruction.data)
    spec = entry_for(INSTRUCTIONS, data)
    if spec is None:
        raise UnknownInstruction(f"no instruction starts with {data[:8].hex() or 'nothing'}")
    return spec.of(instruction)
