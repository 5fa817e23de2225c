"""The API over an empty index, with a clock that a test moves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from fastapi.testclient import TestClient
from solders.keypair import Keypair
from sqlalchemy import Engine

from indexer.api.main import create_app
from indexer.settings import IndexerSettings

SETTINGS = IndexerSettings(sign_in_domain="market.example", sign_in_chain="solana:devnet", sign_ins_per_client=1_000)


@pytest.fixture
def api(engine: Engine) -> Iterator[TestClient]:
    with TestClient(create_app(SETTINGS, engine=engine)) as client:
        yield client


@pytest.fixture
def wallet() -> Keypair:
    return Keypair()


@pytest.fixture
def after(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Moves the wall clock ahead, or back."""
    real, ahead = time.time, [0.0]
    monkeypatch.setattr(time, "time", lambda: real() + ahead[0])

    def move(seconds: float) -> None:
        ahead[0] += seconds

    return move
