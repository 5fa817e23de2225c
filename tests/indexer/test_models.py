"""Records: plain values in memory, SQLModel tables in the database."""

from __future__ import annotations

from sqlalchemy import Engine
from sqlmodel import Session, SQLModel

from indexer.models import RECORDS, Host, RentalState
from indexer.models.base import Unsigned
from tests.indexer.tables import rows_of


def host(**values: object) -> Host:
    return Host(address="h", authority="a", seal_key="00", registered_at=1, seq=1, **values)


def test_table__of_each_record__is_a_sqlmodel_class() -> None:
    for record in RECORDS:
        assert issubclass(record, SQLModel) and issubclass(record.orm, record)
        assert record.orm.model_config.get("table") is True
        assert list(record.model_fields) == record.c.keys()


def test_table__in_a_session__keeps_what_a_record_says(sqlite_engine: Engine) -> None:
    with Session(sqlite_engine) as session:
        session.add(Host.orm(**vars(host(mfp_locked=2**64 - 1))))
        session.commit()
    assert rows_of(sqlite_engine, Host) == [host(mfp_locked=2**64 - 1)]


def test_table__name__is_the_records() -> None:
    assert RentalState.table.name == "rental_state"


def test_table__column__has_the_type_and_nullability_of_its_field() -> None:
    assert isinstance(Host.c.mfp_locked.type, Unsigned) and not Host.c.mfp_locked.nullable
    assert Host.c.score_bps.type.python_type is int and Host.c.score_bps.nullable


def test_record__values_not_given__are_the_defaults() -> None:
    made = host(approved=True)
    assert (made.approved, made.mfp_locked, made.score_bps) == (True, 0, None)
    assert set(vars(made)) == set(Host.c.keys())


def test_record__changed__keeps_the_others_as_they_are() -> None:
    one, other = host(), host()
    one.points = 3
    assert (one.points, other.points, host().points) == (3, 0, 0)


def test_record__docstring_of_a_field__describes_it() -> None:
    assert Host.model_fields["points"].description == "GPU points of the open listings."
