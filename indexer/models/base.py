"""Records and their tables, and the column types that SQL lacks.

A record is a SQLModel of plain values, made without validation and changed like any object; `table` makes the SQLModel
table of its fields. An instance of a table takes 20 times as long to make as a record, since the ORM watches it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import new_class
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypeAlias, TypeVar, get_args

import sqlalchemy
from pydantic.fields import FieldInfo
from sqlalchemy import BigInteger, Column, Dialect, Index, LargeBinary, MetaData, Numeric, String, Text
from sqlalchemy.sql.base import ReadOnlyColumnCollection
from sqlalchemy.types import TypeDecorator, TypeEngine, UserDefinedType
from sqlmodel import Field, SQLModel
from sqlmodel.main import FieldInfoMetadata

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
}


SQLITE_INTEGERS = 1 << 63
"""Beyond its largest."""


class _AsGiven(UserDefinedType[Any]):
    """A column of SQLite's that keeps each value in the type that it is given in."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        """No type at all."""
        return ""


class Unsigned(TypeDecorator[int]):
    """An unsigned integer of up to 128 bits, exact and ordered everywhere.

    NUMERIC where the database has exact ones. SQLite's integers end at 2^63 - 1: what is larger is text there, padded
    with zeros, which it sorts behind all integers.
    """

    impl = Numeric
    cache_ok = True

    def __init__(self, bits: int = 64) -> None:
        self.bits = bits
        self.digits = len(str(2**bits - 1))
        super().__init__(self.digits)

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        exact: TypeEngine[Any] = Numeric(self.digits, 0)
        given: TypeEngine[Any] = _AsGiven()
        return dialect.type_descriptor(given if dialect.name == "sqlite" else exact)

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any]:
        """Takes unsigned integers of these bits; ValueError for others."""
        bits = self.bits
        limit = 1 << self.bits
        padded = f"%0{self.digits}d"
        native = SQLITE_INTEGERS if dialect.name == "sqlite" else limit

        def bind(value: int | None) -> Any:
            if value is None or 0 <= value < native:
                return value
            if not 0 <= value < limit:
                raise ValueError(f"{value} is not an unsigned integer of {bits} bits")
            return padded % value

        return bind

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], int | None]:
        """Gives integers."""
        # A function for each column, and no call more: it runs for every value that is read.
        return lambda value: None if value is None else int(value)


Address: TypeAlias = Annotated[str, String(44)]
"""A public key in base58."""
Signature: TypeAlias = Annotated[str, String(88)]
"""A transaction's first signature in base58."""
U64: TypeAlias = Annotated[int, Unsigned(64)]
"""Base units, counters and `seq`."""
U128: TypeAlias = Annotated[int, Unsigned(128)]
"""Accumulators."""
Count: TypeAlias = Annotated[int, BigInteger()]
"""Numbers of at most 32 bits on chain, slots, and unix seconds."""
Data: TypeAlias = Annotated[bytes, LargeBinary()]
Hash: TypeAlias = Annotated[str, String(64)]
"""32 bytes in hex."""
Word: TypeAlias = Annotated[str, String(32)]
"""A kind, a state or a reason."""
Name: TypeAlias = Annotated[str, String(64)]
Prose: TypeAlias = Annotated[str, Text()]


def _declare_type(field: FieldInfo) -> None:
    """Tells SQLModel the column type that a field is annotated with, also in `X | None`."""
    places = [*field.metadata, *(mark for arm in get_args(field.annotation) for mark in get_args(arm))]
    declared = next((place for place in places if isinstance(place, TypeEngine)), None)
    if declared is None:
        return
    known = next((place for place in field.metadata if isinstance(place, FieldInfoMetadata)), None)
    if known is None:
        field.metadata.append(FieldInfoMetadata(sa_type=declared))
    else:
        known.sa_type = declared


class Record(SQLModel):
    """A row in memory: its columns' values, and nothing that watches them."""

    model_config = {"use_attribute_docstrings": True}
    metadata: ClassVar[MetaData] = MetaData(naming_convention=NAMING)
    orm: ClassVar[type[SQLModel]]
    """The table's SQLModel class, for sessions."""
    table: ClassVar[sqlalchemy.Table]
    c: ClassVar[ReadOnlyColumnCollection[str, Column[Any]]]
    """The table's columns."""
    defaults: ClassVar[dict[str, Any]] = {}

    def __init__(self, **values: Any) -> None:
        """Takes the values as they are."""
        object.__setattr__(self, "__dict__", self.defaults | values)

    @classmethod
    def of(cls, values: dict[str, Any]) -> Self:
        """A record that keeps its values, of every column, in this mapping."""
        record = object.__new__(cls)
        object.__setattr__(record, "__dict__", values)
        return record

    def __eq__(self, other: object) -> bool:
        """True for a record of the same kind with the same values."""
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None  # type: ignore[assignment]

    if not TYPE_CHECKING:
        __setattr__ = object.__setattr__

        def __new__(cls, **values: Any) -> Self:
            """Without the notes that pydantic takes of its models, which take longer than all else."""
            return object.__new__(cls)

    @classmethod
    def key_names(cls) -> tuple[str, ...]:
        """The columns of its primary key."""
        return tuple(column.key for column in cls.table.primary_key)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        fields = cls.model_fields
        cls.defaults = {name: field.default for name, field in fields.items() if not field.is_required()}
        for field in fields.values():
            _declare_type(field)


class Projection(Record):
    """A record that follows from raw events alone: `rebuild` empties its table and fills it again."""


class Entity(Projection):
    """Something with an account on the chain, whose events are numbered by `seq`."""

    address: Address = Field(primary_key=True)
    seq: U64
    seq_slot: Count = 0
    """Slot of the event `seq`."""


class Entry(Projection):
    """Something that happened at `ts`, in unix seconds, by transaction `tx`."""

    ts: Count
    tx: Signature


Made = TypeVar("Made", bound=Record)
RECORDS: list[type[Record]] = []
"""Those that have a table."""


def table(*indexes: Index, clustered: bool = False) -> Callable[[type[Made]], type[Made]]:
    """Makes a record's table, named after it.

    SQLite keeps a `clustered` one in the order of its key, and nothing beside: for keys that grow with time.
    """

    def make(record: type[Made]) -> type[Made]:
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", record.__name__).lower()
        body = {
            "__module__": record.__module__,
            "__tablename__": name,
            "model_config": {"use_attribute_docstrings": False},
            "__table_args__": (*indexes, {"sqlite_with_rowid": not clustered}),
            "__new__": SQLModel.__new__,
            "__init__": SQLModel.__init__,
            "__setattr__": SQLModel.__setattr__,
        }
        record.orm = new_class(f"{record.__name__}Table", (record,), {"table": True}, lambda names: names.update(body))
        record.table = vars(record.orm)["__table__"]
        record.c = record.table.c
        RECORDS.append(record)
        return record

    return make
