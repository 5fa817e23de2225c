"""Answers that nobody reads take no more memory than they may."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from anchor_client.service.shares import networks_of
from indexer.api.http import connections
from indexer.api.http.connections import BoundedProtocol, make_room_for_answers
from localnet.server import LocalCluster
from tests.indexer.api.test_connections import HEAD, connected, ended, serving
from tests.indexer.service import metrics_of, until

LARGE = (HEAD.replace(b"/api/gpus", b"/openapi.json") + b"\r\n") * 200


class Waiting:
    """A connection with an answer of a size."""

    def __init__(self, address: str, unread: int) -> None:
        self.networks = networks_of(address)[::-1]
        self.unread = unread
        self.is_dropped = False

    def drop_for_bytes(self) -> None:
        self.is_dropped = True


def test_answers__that_one_network_does_not_read__make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_UNREAD_BYTES", 100)
    strangers = [Waiting(f"203.0.113.{host}", 10) for host in range(12)]
    honest = Waiting("198.51.100.7", 40)
    make_room_for_answers([cast(BoundedProtocol, each) for each in (honest, *strangers)])
    assert not honest.is_dropped and sum(each.is_dropped for each in strangers) == 6


def test_answers__within_the_bound__stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_UNREAD_BYTES", 100)
    waiting = [Waiting("203.0.113.9", 50), Waiting("203.0.113.9", 50)]
    make_room_for_answers([cast(BoundedProtocol, each) for each in waiting])
    assert not any(each.is_dropped for each in waiting)


async def test_connection__whose_answers_are_too_many_bytes__is_dropped_and_others_are_answered(
    local: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST_UNREAD_BYTES", 1_000)
    async with serving(local, tmp_path, requests_per_client=10_000.0) as api, connected(api, 1) as [deaf]:
        deaf[1].transport.pause_reading()  # type: ignore[attr-defined]
        deaf[1].write(LARGE)

        async def is_dropped() -> bool:
            return 'gpu_market_api_connections_dropped_total{reason="bytes"}' in await metrics_of(api)

        await until(is_dropped)
        async with connected(api, 1) as [honest]:
            honest[1].write(HEAD + b"Connection: close\r\n\r\n")
            assert b" 200 " in await ended(honest)
