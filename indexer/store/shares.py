"""Shares of a table by network: who may add a row, and whose row makes room.

Such a table has the columns of a `Nest`, with an index on all three in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Row, Table, func, select

from anchor_client.service.shares import Nest


class NetworkFull(Exception):
    """The network that a row counts for has its part, or the table is full."""


def count_of(connection: Connection, table: Table) -> int:
    """Number of rows."""
    return connection.execute(select(func.count()).select_from(table)).scalar_one()


def has_room(connection: Connection, table: Table, size: int, nest: Nest) -> bool:
    """True if a table of at most `size` rows has room for another of these networks."""
    total = count_of(connection, table)
    if total >= size:
        return False
    for number, most in enumerate(nest.parts(size), 1):
        # Nobody holds more than all rows that there are.
        if total >= most:
            held = select(func.count()).select_from(table).where(*_within(table, nest[:number]))
            if connection.execute(held).scalar_one() >= most:
                return False
    return True


def heaviest(connection: Connection, table: Table, newcomer: Nest) -> Nest:
    """The networks whose row makes room: the widest with the most rows, within it the next, and so on. The newcomer
    counts as well, and is preferred among equals."""
    found: list[str] = []
    for number, name in enumerate(Nest._fields):
        column: Column[Any] = table.c[name]
        counted = select(column, func.count()).where(*_within(table, found)).group_by(column)
        counts = {row[0]: int(row[1]) for row in connection.execute(counted)}
        own = newcomer[number]
        # With its row it would weigh more; it makes room itself only where it has one already.
        if own in counts and [*newcomer[:number]] == found:
            counts[own] += 1
        most = max(counts.values())
        found.append(own if counts.get(own) == most else min(each for each in counts if counts[each] == most))
    return Nest(*found)


def first_of(connection: Connection, table: Table, nest: Nest, order: Column[Any]) -> Row[*tuple[Any, ...]]:
    """The first row of these networks by an order."""
    return connection.execute(select(table).where(*_within(table, nest)).order_by(order).limit(1)).one()


def _within(table: Table, networks: Sequence[str]) -> list[ColumnElement[bool]]:
    """Conditions of being in nested networks, the widest first."""
    return [table.c[name] == network for name, network in zip(Nest._fields, networks, strict=False)]
