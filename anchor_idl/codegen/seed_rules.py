"""Turns the seeds of a rule into the seeds of an IDL, for one account of one instruction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from solders.pubkey import Pubkey

from anchor_idl.codegen.errors import RuleError, UnknownName
from anchor_idl.codegen.rules import AccountRule, AddressRules

TOKEN_PROGRAM = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
ASSOCIATED_TOKEN_PROGRAM = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SeedPlace:
    """One account of one instruction, with everything a seed may name there.

    `optional` are those siblings that may be absent: a name alone never means one of them.
    `types` gives the account type of each sibling whose data the IDL describes, `fields` the fields of each type.
    """

    instruction: str
    account: str
    args: frozenset[str]
    siblings: frozenset[str]
    optional: frozenset[str]
    types: Mapping[str, str]
    fields: Mapping[str, frozenset[str]]

    def __str__(self) -> str:
        return f"{self.instruction}.{self.account}"


def account_type(rules: Sequence[AccountRule], name: str, known: Mapping[str, frozenset[str]]) -> str | None:
    """The type of an account's data: what the pda of a rule is named after, else what the account itself is."""
    pascal = "".join(part.capitalize() for part in name.split("_"))
    candidates = [rule.pda for rule in rules if rule.pda is not None]
    return next((candidate for candidate in (*candidates, pascal) if candidate in known), None)


def rule_pda(rule: AccountRule, rules: AddressRules, place: SeedPlace) -> Json | None:
    """The `pda` entry that a rule asks for."""
    if rule.associated_token is not None:
        return _associated_token(rule.associated_token, place)
    if rule.pda is None:
        return None
    seeds = rules.pdas[rule.pda].seeds
    return {"seeds": [_seed(seed, rule.bindings.get(seed, seed), place) for seed in seeds]}


def _associated_token(binding: Mapping[str, str], place: SeedPlace) -> Json:
    program = binding.get("token_program", "token_program")
    if program in place.siblings or program != "token_program":
        token = _value(program, place)
    else:
        token = const_seed(bytes(Pubkey.from_string(TOKEN_PROGRAM)))
    return {
        "seeds": [_value(binding["owner"], place), token, _value(binding["mint"], place)],
        "program": const_seed(bytes(Pubkey.from_string(ASSOCIATED_TOKEN_PROGRAM))),
    }


def const_seed(value: bytes) -> Json:
    """A seed that never changes."""
    return {"kind": "const", "value": list(value)}


def _seed(seed: str, value: str, place: SeedPlace) -> Json:
    if seed.startswith("'") and seed.endswith("'") and len(seed) > 1:
        return const_seed(seed[1:-1].encode())
    return _value(value, place)


def _value(text: str, place: SeedPlace) -> Json:
    kind, _, explicit = text.rpartition(":")
    path = explicit.split(".")
    if kind == "arg" or (not kind and path[0] in place.args):
        return _argument(path, place)
    if kind == "account" or (not kind and path[0] in place.siblings - place.optional):
        return _account(path, place)
    own = place.types.get(place.account)
    if not kind and own is not None and path[0] in place.fields[own]:
        return _account([place.account, *path], place)
    raise UnknownName(f"{place}: {text} is not an argument, an account or a field of {own or 'its data'}")


def _argument(path: Sequence[str], place: SeedPlace) -> Json:
    if path[0] not in place.args:
        raise UnknownName(f"{place}: {path[0]} is not an argument of {place.instruction}")
    return {"kind": "arg", "path": ".".join(path)}


def _account(path: Sequence[str], place: SeedPlace) -> Json:
    if path[0] not in place.siblings:
        raise UnknownName(f"{place}: {path[0]} is not an account of {place.instruction}")
    if len(path) == 1:
        return {"kind": "account", "path": path[0]}
    kind = place.types.get(path[0])
    if kind is None or path[1] not in place.fields[kind]:
        raise UnknownName(f"{place}: {'.'.join(path)} is not a field of {kind or 'an account of the program'}")
    return {"kind": "account", "path": ".".join(path), "account": kind}


def relation(text: str, place: SeedPlace) -> Json:
    """The entry for an account that a field of another account's data names: `relations` if both have the same name,
    else a `field` with the path."""
    account, _, name = text.partition(".")
    if not name:
        raise RuleError(f"{place}: {text} is not a field of an account")
    _account([account, *name.split(".")], place)
    return {"relations": [account]} if name == place.account else {"field": text}
