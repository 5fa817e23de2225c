"""Resolution of the accounts of an instruction that the caller does not pass."""

from __future__ import annotations

from dataclasses import dataclass

from anchor_idl.codegen.errors import UnsupportedIdl
from anchor_idl.codegen.python.addresses import AddressNames
from anchor_idl.codegen.python.layouts import resolve
from anchor_idl.codegen.python.pdas import PdaFunctions, derivation
from anchor_idl.codegen.python.scope import FlatAccount, InstructionScope
from anchor_idl.codegen.python.seeds import PUBKEY, SeedValue, account_value, data_parameter


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to an address: an expression, the parameters that must be known for it, the accounts it reads before."""

    expression: str
    needs: tuple[str, ...] = ()
    reads: tuple[FlatAccount, ...] = ()
    function: str | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """All ways to an account's address, first the one that needs least; without any the caller must pass it."""

    account: FlatAccount
    alternatives: tuple[Alternative, ...]

    @property
    def functions(self) -> frozenset[str]:
        """The address functions that are called."""
        return frozenset(a.function for a in self.alternatives if a.function)


def resolutions(
    scope: InstructionScope, functions: PdaFunctions, addresses: AddressNames
) -> dict[FlatAccount, Resolution]:
    """The ways to each account. An optional account has none: it is absent unless it is passed."""
    return {
        account: Resolution(
            account, () if account.item.optional else tuple(_alternatives(scope, account, functions, addresses))
        )
        for account in scope.accounts
    }


def resolution_order(scope: InstructionScope, found: dict[FlatAccount, Resolution]) -> list[FlatAccount]:
    """The accounts, each after those it is derived from."""
    ordered: list[FlatAccount] = []

    def visit(account: FlatAccount, path: tuple[FlatAccount, ...]) -> None:
        if account in path:
            names = " -> ".join(entry.name for entry in (*path, account))
            raise UnsupportedIdl(f"{scope.instruction.name}: accounts are derived from each other: {names}")
        if account in ordered:
            return
        for alternative in found[account].alternatives:
            for read in alternative.reads:
                visit(read, (*path, account))
        ordered.append(account)

    for account in scope.accounts:
        visit(account, ())
    return ordered


def _alternatives(
    scope: InstructionScope, account: FlatAccount, functions: PdaFunctions, addresses: AddressNames
) -> list[Alternative]:
    item = account.item
    if item.address is not None:
        return [Alternative(addresses.expression(item.address))]
    found: list[Alternative] = []
    if item.pda is not None:
        derived = derivation(scope, account, item.pda)
        if derived is not None:
            needs, reads = _needs(derived.values)
            found.append(Alternative(functions.call(derived), needs, reads, functions.name(derived)))
    paths = [(*relation.split("."), item.name) for relation in item.relations]
    if item.field is not None:
        paths.append(tuple(item.field.split(".")))
    for path in paths:
        value = account_value(scope, account, path)
        if value is not None and resolve(scope.idl, value.type) == PUBKEY:
            found.insert(0, Alternative(value.expression, *_needs((value,))))
    return _without_redundant(sorted(found, key=lambda alternative: len(alternative.needs)))


def _without_redundant(alternatives: list[Alternative]) -> list[Alternative]:
    """Those that can be taken when none before them can."""
    kept: list[Alternative] = []
    for alternative in alternatives:
        if not any(set(earlier.needs) <= set(alternative.needs) for earlier in kept):
            kept.append(alternative)
    return kept


def _needs(values: tuple[SeedValue, ...]) -> tuple[tuple[str, ...], tuple[FlatAccount, ...]]:
    reads = tuple(value.account for value in values if value.account is not None)
    needs = [data_parameter(value.data) for value in values if value.data is not None]
    needs += [account.parameter for account in reads if account.item.optional]
    return tuple(dict.fromkeys(needs)), reads
