"""Reads the address rules, idl/addresses.toml; its format is documented at the top of that file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anchor_idl.codegen.errors import RuleError

_SECTIONS = {"passed": list, "pda": dict, "bytes": dict, "account": dict, "instruction": dict}


@dataclass(frozen=True, slots=True)
class PdaRule:
    """The seeds of one kind of address: texts in single quotes, and names of values."""

    name: str
    seeds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AccountRule:
    """Rule to find an account; a rule that says nothing leaves the account to the caller of the builder."""

    place: str
    pda: str | None = None
    bindings: Mapping[str, str] = field(default_factory=dict)
    associated_token: Mapping[str, str] | None = None
    field: str | None = None
    address: str | None = None


@dataclass(frozen=True, slots=True)
class AddressRules:
    """The whole file."""

    pdas: Mapping[str, PdaRule] = field(default_factory=dict)
    accounts: Mapping[str, tuple[AccountRule, ...]] = field(default_factory=dict)
    instructions: Mapping[tuple[str, str], tuple[AccountRule, ...]] = field(default_factory=dict)
    integers: Mapping[str, str] = field(default_factory=dict)
    passed: frozenset[str] = frozenset()

    def for_account(self, instruction: str, account: str) -> tuple[AccountRule, ...]:
        """The rules to try for an account, in their order; those of the instruction alone take the others' place."""
        return self.instructions.get((instruction, account)) or self.accounts.get(account, ())

    def all(self) -> Iterator[AccountRule]:
        """Every rule of the file."""
        for rules in (*self.accounts.values(), *self.instructions.values()):
            yield from rules


def load_rules(path: Path) -> AddressRules:
    """The rules in a file; RuleError if one is malformed."""
    try:
        return parse_rules(tomllib.loads(path.read_text()))
    except tomllib.TOMLDecodeError as error:
        raise RuleError(f"{path}: {error}") from error


def parse_rules(data: Mapping[str, Any]) -> AddressRules:
    """The rules in a dict."""
    for key, value in data.items():
        if key not in _SECTIONS or not isinstance(value, _SECTIONS[key]):
            raise RuleError(f"{key} is not a section of the address rules, or has the wrong type")
    pdas = {name: _pda(name, entry) for name, entry in data.get("pda", {}).items()}
    return AddressRules(
        pdas=pdas,
        accounts={name: _accounts(name, entry, pdas) for name, entry in data.get("account", {}).items()},
        instructions={
            (instruction, name): _accounts(f"{instruction}.{name}", entry, pdas)
            for instruction, accounts in data.get("instruction", {}).items()
            for name, entry in accounts.items()
        },
        integers={name: _integer(name, entry) for name, entry in data.get("bytes", {}).items()},
        passed=frozenset(data.get("passed", ())),
    )


def _pda(name: str, entry: Any) -> PdaRule:
    match entry:
        case {"seeds": [*seeds], **rest} if not rest and all(isinstance(seed, str) for seed in seeds):
            return PdaRule(name, tuple(seeds))
    raise RuleError(f"pda.{name} needs seeds, a list of strings, and nothing else")


def _accounts(place: str, entry: Any, pdas: Mapping[str, PdaRule]) -> tuple[AccountRule, ...]:
    if not isinstance(entry, list):
        return (_account(place, entry, pdas),)
    return tuple(_account(f"{place}[{index}]", rule, pdas) for index, rule in enumerate(entry))


def _account(place: str, entry: Any, pdas: Mapping[str, PdaRule]) -> AccountRule:
    known = {"pda", "with", "associated_token", "field", "address"}
    if not isinstance(entry, dict) or entry.keys() - known:
        raise RuleError(f"{place}: a rule is a table of {', '.join(sorted(known))}")
    rule = AccountRule(
        place=place,
        pda=entry.get("pda"),
        bindings=entry.get("with", {}),
        associated_token=entry.get("associated_token"),
        field=entry.get("field"),
        address=entry.get("address"),
    )
    if sum(way is not None for way in (rule.pda, rule.associated_token, rule.address)) > 1:
        raise RuleError(f"{place}: pda, associated_token and address exclude each other")
    if rule.associated_token is not None and {"owner", "mint"} - rule.associated_token.keys():
        raise RuleError(f"{place}: an associated token account needs owner and mint")
    if rule.pda is not None:
        _check_bindings(rule, rule.pda, pdas)
    return rule


def _check_bindings(rule: AccountRule, pda: str, pdas: Mapping[str, PdaRule]) -> None:
    if pda not in pdas:
        raise RuleError(f"{rule.place}: there is no pda.{pda}")
    unknown = rule.bindings.keys() - set(pdas[pda].seeds)
    if unknown:
        raise RuleError(f"{rule.place}: pda.{pda} has no seed {', '.join(sorted(unknown))}")


def _integer(name: str, entry: Any) -> str:
    match entry:
        case {"as": str(kind), **rest} if not rest and kind[:1] in "ui" and kind[1:] in ("8", "16", "32", "64", "128"):
            return kind
    raise RuleError(f'bytes.{name} needs as = "u64" or another integer, and nothing else')
