"""Pages of rows that are filtered, in a fixed order, and resumed behind the last row of the page before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import BigInteger, ColumnElement, Connection, Row, Select, bindparam, tuple_

from indexer.api.cursors import decode_cursor, encode_cursor
from indexer.models.base import Unsigned

BEHIND = ("behind_number", "behind_address", "behind_further")
NextCursor = Annotated[str | None, Field(description="Null on the last page.")]


class Pages:
    """Pages of a statement's rows, in order of its first two columns: a number and an address.

    `numbered` are ordered by the third column too, a number that tells rows of the same two apart. The cursors of a
    `sort` are refused by the others.

    A filter is a condition on a bound parameter of the filter's name. A statement is made once for each set of filters,
    for SQLAlchemy takes longer to make one than SQLite to run it.
    """

    def __init__(
        self,
        rows: Select[*tuple[Any, ...]],
        filters: Mapping[str, ColumnElement[bool]],
        *,
        descending: bool = False,
        numbered: bool = False,
        sort: str = "",
    ) -> None:
        keys = [*rows.selected_columns][: 3 if numbered else 2]
        self._sort = sort
        self._places = len(keys)
        self._is_unsigned = isinstance(keys[0].type, Unsigned)
        behind = tuple_(*(bindparam(name, None, key.type) for name, key in zip(BEHIND, keys, strict=False)))
        order = tuple_(*keys)
        self._filters = filters
        if descending:
            self._rows = rows.order_by(*(key.desc() for key in keys))
            self._behind = order < behind
        else:
            self._rows = rows.order_by(*keys)
            self._behind = order > behind
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
        if cursor is None:
            behind = {}
        else:
            behind = dict(zip(BEHIND[: self._places], self._place(cursor), strict=False))
        statement = self._statement(frozenset(given), cursor is not None)
        values = {**(parameters or {}), **given, **behind, "limit": limit + 1}
        found = connection.execute(statement, values).all()
        page = found[:limit]
        if len(found) <= limit:
            return page, None
        return page, self.behind(page[-1])

    def behind(self, row: Row[*tuple[Any, ...]]) -> str:
        """The cursor of the page that begins behind a row."""
        return encode_cursor(self._sort, *row[: self._places])

    def _place(self, cursor: str) -> tuple[int, str, int]:
        number, address, further = decode_cursor(cursor, self._sort)
        if self._is_unsigned:
            number = max(number, 0)
        return number, address, further

    def _make(self, given: frozenset[str], resumed: bool) -> Select[*tuple[Any, ...]]:
        conditions = [self._filters[name] for name in sorted(given)]
        if resumed:
            conditions.append(self._behind)
        return self._rows.where(*conditions).limit(bindparam("limit", type_=BigInteger))
