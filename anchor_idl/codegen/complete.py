"""Adds to an IDL what its macro leaves out, by rules; every rule must be used and none may contradict the macro."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

from anchor_idl.codegen.errors import RuleError, UnknownName
from anchor_idl.codegen.rules import AccountRule, AddressRules
from anchor_idl.codegen.seed_rules import (
    ASSOCIATED_TOKEN_PROGRAM,
    TOKEN_PROGRAM,
    Json,
    SeedPlace,
    account_type,
    const_seed,
    relation,
    rule_pda,
)

KNOWN_ADDRESSES = {
    "system_program": "11111111111111111111111111111111",
    "token_program": TOKEN_PROGRAM,
    "associated_token_program": ASSOCIATED_TOKEN_PROGRAM,
    "rent": "SysvarRent111111111111111111111111111111111",
    "clock": "SysvarC1ock11111111111111111111111111111111",
    "slot_hashes": "SysvarS1otHashes111111111111111111111111111",
    "instructions_sysvar": "Sysvar1nstructions1111111111111111111111111",
    "bpf_loader_upgradeable": "BPFLoaderUpgradeab1e11111111111111111111111",
}
EVENT_AUTHORITY = {"seeds": [const_seed(b"__event_authority")]}


def complete(idl: Json, rules: AddressRules) -> Json:
    """The IDL with every address that can be derived; RuleError with everything that is wrong or left over."""
    completed = copy.deepcopy(idl)
    _move_fields(completed)
    used = _integers(completed, rules)
    fields = _account_fields(completed)
    problems: list[str] = []
    for instruction in completed["instructions"]:
        for group in _groups(instruction["accounts"]):
            used |= _complete_group(completed, instruction, group, rules, fields, problems)
    unused = sorted(_written(rules) - used)
    if unused:
        problems.append(f"these rules match nothing: {', '.join(unused)}")
    if problems:
        raise RuleError("\n".join(problems))
    return completed


def _move_fields(idl: Json) -> None:
    """Moves an address that is a field of another account's data to `field`: clients take `address` for base58."""
    for instruction in idl["instructions"]:
        for group in _groups(instruction["accounts"]):
            for account in group:
                if "." in account.get("address", ""):
                    account["field"] = account.pop("address")


def _complete_group(
    idl: Json,
    instruction: Json,
    group: list[Json],
    rules: AddressRules,
    fields: dict[str, frozenset[str]],
    problems: list[str],
) -> set[str]:
    chosen = {account["name"]: rules.for_account(instruction["name"], account["name"]) for account in group}
    types = {name: kind for name, choice in chosen.items() if (kind := account_type(choice, name, fields))}
    used = set()
    for account in group:
        name = account["name"]
        place = SeedPlace(
            instruction=instruction["name"],
            account=name,
            args=frozenset(arg["name"] for arg in instruction["args"]),
            siblings=frozenset(chosen),
            optional=frozenset(sibling["name"] for sibling in group if sibling.get("optional")),
            types=types,
            fields=fields,
        )
        try:
            if chosen[name]:
                rule = _apply_first(account, chosen[name], rules, place)
                used |= {rule.place, f"pda.{rule.pda}"}
            else:
                _apply_known(idl["address"], account, place)
            used |= _check_found(account, rules, place)
        except RuleError as error:
            problems.append(str(error))
            used |= {entry for rule in chosen[name] for entry in (rule.place, f"pda.{rule.pda}")}
    return used


def _apply_first(account: Json, choice: Sequence[AccountRule], rules: AddressRules, place: SeedPlace) -> AccountRule:
    """Applies the first rule whose names all exist."""
    for rule in choice[:-1]:
        try:
            _apply(account, rule, rules, place)
        except UnknownName:
            continue
        return rule
    _apply(account, choice[-1], rules, place)
    return choice[-1]


def _apply(account: Json, rule: AccountRule, rules: AddressRules, place: SeedPlace) -> None:
    pda = rule_pda(rule, rules, place)
    found = relation(rule.field, place) if rule.field is not None else None
    if pda is not None:
        _set(account, "pda", pda, place)
    if rule.address is not None:
        _set(account, "address", rule.address, place)
    if found is not None:
        if "relations" in found:
            account["relations"] = sorted({*account.get("relations", ()), *found["relations"]})
        else:
            _set(account, "field", found["field"], place)


def _apply_known(program: str, account: Json, place: SeedPlace) -> None:
    if _is_found(account):
        return
    if place.account == "program" and "event_authority" in place.siblings:
        account["address"] = program
    elif place.account == "event_authority":
        account["pda"] = copy.deepcopy(EVENT_AUTHORITY)
    elif place.account in KNOWN_ADDRESSES:
        account["address"] = KNOWN_ADDRESSES[place.account]


def _set(account: Json, key: str, value: Any, place: SeedPlace) -> None:
    if account.get(key, value) != value:
        raise RuleError(f"{place}: the program says {key} = {account[key]}, the rule {value}")
    account[key] = value


def _check_found(account: Json, rules: AddressRules, place: SeedPlace) -> set[str]:
    names = {place.account, str(place)} & rules.passed
    if _is_found(account) or account.get("signer"):
        return set()
    if not names:
        raise RuleError(f"{place}: give it a rule, or list it in `passed` if only its caller can know its address")
    return {f"passed.{name}" for name in names}


def _is_found(account: Json) -> bool:
    return any(account.get(key) for key in ("pda", "address", "field", "relations"))


def _written(rules: AddressRules) -> set[str]:
    """The name of every rule in the file."""
    written = {rule.place for rule in rules.all()}
    written |= {f"pda.{name}" for name in rules.pdas} | {f"bytes.{name}" for name in rules.integers}
    return written | {f"passed.{name}" for name in rules.passed}


def _integers(idl: Json, rules: AddressRules) -> set[str]:
    used = set()
    for owner, field in _named_values(idl):
        for key in (f"{owner}.{field['name']}", field["name"]):
            kind = rules.integers.get(key)
            if kind is None:
                continue
            if field["type"] not in ({"array": ["u8", int(kind[1:]) // 8]}, kind):
                raise RuleError(f"bytes.{key}: {owner}.{field['name']} is {field['type']}, which cannot hold {kind}")
            field["type"] = kind
            used.add(f"bytes.{key}")
            break
    return used


def _named_values(idl: Json) -> Iterator[tuple[str, Json]]:
    for instruction in idl["instructions"]:
        yield from ((instruction["name"], arg) for arg in instruction["args"])
    for definition in idl.get("types", ()):
        fields = definition["type"].get("fields") or ()
        yield from ((definition["name"], field) for field in fields if isinstance(field, dict) and "name" in field)


def _account_fields(idl: Json) -> dict[str, frozenset[str]]:
    accounts = {account["name"] for account in idl.get("accounts", ())}
    found: dict[str, set[str]] = {name: set() for name in accounts}
    for owner, field in _named_values(idl):
        if owner in accounts:
            found[owner].add(field["name"])
    return {name: frozenset(fields) for name, fields in found.items()}


def _groups(accounts: list[Json]) -> Iterator[list[Json]]:
    """The accounts that can name each other: those of one group."""
    yield [account for account in accounts if "accounts" not in account]
    for account in accounts:
        if "accounts" in account:
            yield from _groups(account["accounts"])
