"""Actions in words: for people, and as names and values for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Final

from solders.pubkey import Pubkey

from anchor_client.amounts import duration, sol, usd
from anchor_client.generated.types.action import Action
from anchor_client.rules.parameters import BY_NAME, Unit
from anchor_idl.runtime.structs import TaggedUnion

_PREFIX: Final = len(Action.__name__)


def describe(action: Mapping[str, Any]) -> str:
    """One line that says what an action does, from its fields."""
    match action:
        case {"kind": "set_parameter", "parameter": parameter, "value": value}:
            return f"set {parameter} to {say_parameter(parameter, value)}"
        case {"kind": "set_key", "key": key, "new": new}:
            return f"set the {key} to {new}"
        case {"kind": "set_paused", "area": area, "paused": paused}:
            return f"{'pause' if paused else 'resume'} {area}"
        case {"kind": "approve_host", "host": host, "approved": True, "subsidy_budget": budget}:
            return f"approve host {host} with a subsidy of up to {budget} base units a day"
        case {"kind": "approve_host", "host": host}:
            return f"revoke the approval of host {host}"
        case {"kind": "add_payment_mint", "mint": mint}:
            return f"accept payments in mint {mint}"
        case {"kind": "update_payment_mint", "payment_mint": payment_mint}:
            return f"change the terms of payment mint {payment_mint}"
        case {"kind": "treasury_transfer", "mint": mint, "to": to, "amount": amount}:
            return f"pay {amount} base units of {mint} to {to}"
        case {"kind": "add_reward_mint", "mint": mint}:
            return f"pay stakers rewards in mint {mint}"
        case {"kind": "set_gpu_model", "number": number, "terms": {"points": points, "reference_usd": price}}:
            return f"give GPU model {number} {points} points and a reference price of {usd(price)} per GPU-hour"
        case {"kind": "withdraw_unreserved", "mint": mint, "shard": shard, "amount": amount}:
            return f"withdraw at most {amount} unreserved base units of {mint} from vault {shard}"
        case {"kind": "upgrade_program", "buffer": buffer, "sha256": digest}:
            return f"upgrade the program to the code in {buffer} with sha256 {digest}"
        case _:
            return str(action["kind"])


def say_parameter(name: str, value: int) -> str:
    """A value of a parameter of the market, in its unit, with the number that proposals and JSON have for it."""
    match BY_NAME[name].unit:
        case Unit.MICRO_USD:
            return f"{usd(value)} ({value})"
        case Unit.LAMPORTS:
            return f"{sol(value)} ({value})"
        case Unit.SECONDS:
            return f"{duration(value)} ({value})"
        case Unit.SHARE:
            return f"{value / 100:g} % ({value})"
        case unit:
            return f"{value} {unit}"


def kind_of(action: Action) -> str:
    """The action's name: set_parameter, approve_host, ..."""
    return kind_named(type(action))


def kind_named(action: type[TaggedUnion]) -> str:
    """The name of all actions of a type."""
    name = action.__name__[_PREFIX:]
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def action_fields(action: Action) -> dict[str, Any]:
    """The action as JSON: its `kind` and its arguments, addresses in base58 and bytes in hexadecimal."""
    return {"kind": kind_of(action), **_plain(action)}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, Pubkey):
        return str(value)
    return value.hex() if isinstance(value, bytes) else value
