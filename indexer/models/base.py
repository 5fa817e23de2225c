"""What every table derives from, and the column types that SQL lacks."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from sqlalchemy import BigInteger, Dialect, LargeBinary, MetaData, Numeric, String
from sqlalchemy.orm import DeclarativeBase, MappedAsDataclass, mapped_column
from sqlalchemy.types import TypeDecorator, TypeEngine

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
}


class Unsigned(TypeDecorator[int]):
    """An unsigned integer of up to 128 bits, exact and ordered everywhere.

    NUMERIC where the database has exact ones; on SQLite, whose integers end at 2^63 - 1, zero-padded text.
    """

    impl = String
    cache_ok = True

    def __init__(self, bits: int = 64) -> None:
        self.bits = bits
        self.digits = len(str(2**bits - 1))
        super().__init__(self.digits)

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        exact: TypeEngine[Any] = Numeric(self.digits, 0)
        text: TypeEngine[Any] = String(self.digits)
        return dialect.type_descriptor(text if dialect.name == "sqlite" else exact)

    def process_bind_param(self, value: int | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        if not 0 <= value < 1 << self.bits:
            raise ValueError(f"{value} is no unsigned integer of {self.bits} bits")
        return f"{value:0{self.digits}d}" if dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: Dialect) -> int | None:
        return None if value is None else int(value)


Address: TypeAlias = Annotated[str, mapped_column(String(44))]
"""A public key in base58."""
Signature: TypeAlias = Annotated[str, mapped_column(String(88))]
"""A transaction's first signature in base58."""
U64: TypeAlias = Annotated[int, mapped_column(Unsigned(64))]
"""Base units, counters and `seq`."""
U128: TypeAlias = Annotated[int, mapped_column(Unsigned(128))]
"""Accumulators."""
Count: TypeAlias = Annotated[int, mapped_column(BigInteger)]
"""Numbers of at most 32 bits on chain, slots, and unix seconds."""
Data: TypeAlias = Annotated[bytes, mapped_column(LargeBinary)]
Hash: TypeAlias = Annotated[str, mapped_column(String(64))]
"""32 bytes in hex."""


class Table(MappedAsDataclass, DeclarativeBase, kw_only=True):
    """A table. Rows are plain dataclasses; nothing loads by itself."""

    metadata = MetaData(naming_convention=NAMING)


class Projection(Table, kw_only=True):
    """A table that raw events alone fill: `rebuild` empties and refills it."""

    __abstract__ = True
