"""Pages of rows that are filtered, in a fixed order, and resumed behind the last row of the page before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import BigInteger, ColumnElement, Connection, Row, Select, bindparam, tuple_

from indexer.api.cursors import decode_cursor, encode_cursor
from indexer.models.base import Unsigned

BEHIND = ("behind_number", "behind_address")
NextCursor = Annotated[str | None, Field(description="Null on the last page.")]


class Pages:
    """Pages of a statement's rows, in order of its first two columns: a number and an address.

    A filter is a condition on a bound parameter of the filter's name. A statement is made once for each set of filters,
    for SQLAlchemy takes longer to make one than SQLite to run it.
    """

    def __init__(
        self, rows: Select[*tuple[Any, ...]], filters: Mapping[str, ColumnElement[bool]], *, descending: bool = False
    ) -> None:
        number, address, *_ = rows.selected_columns
        self._is_unsigned = isinstance(number.type, Unsigned)
        behind = tuple_(*map(bindparam, BEHIND, (None, None), (number.type, address.type)))
        order = tuple_(number, address)
        self._rows = rows.order_by(*(column.desc() if descending else column for column in (number, address)))
        self._filters = filters
        self._behind = order < behind if descending else order > behind
        self._statement = cache(self._make)

    def read(
        self,
        connection: Connection,
        filters: Mapping[str, object],
        *,
        limit: int,
        cursor: str | None,
        parameters: Mapping[str, object] | None = None,
    ) -> tuple[Sequence[Row[*tuple[Any, ...]]], str | None]:
        """At most `limit` rows that pass the filters that are not None, and the cursor of the next page if any.

        `parameters` are what the statement itself asks for.
        """
        given = {name: value for name, value in filters.items() if value is not None}
        behind = {} if cursor is None else dict(zip(BEHIND, self._place(cursor), strict=True))
        statement = self._statement(frozenset(given), cursor is not None)
        values = {**(parameters or {}), **given, **behind, "limit": limit + 1}
        found = connection.execute(statement, values).all()
        page = found[:limit]
        return page, encode_cursor(page[-1][0], page[-1][1]) if len(found) > limit else None

    def _place(self, cursor: str) -> tuple[int, str]:
        number, address = decode_cursor(cursor)
        return max(number, 0) if self._is_unsigned else number, address

    def _make(self, given: frozenset[str], resumed: bool) -> Select[*tuple[Any, ...]]:
        conditions = [self._filters[name] for name in sorted(given)]
        if resumed:
            conditions.append(self._behind)
        return self._rows.where(*conditions).limit(bindparam("limit", type_=BigInteger))
