"""A connection as people read it."""

from __future__ import annotations

import pytest

from anchor_client.sealing import Connection
from market_cli.commands.rental.job import ways_in


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (None, []),
        (0, ["/workspace is [bold red]not kept[/] after the job: this host keeps none"]),
        (1, ["/workspace is kept here for 1 day after the job"]),
        (7, ["/workspace is kept here for 7 days after the job"]),
    ],
)
def test_ways_in__workspace__is_said_to_be_kept_for_so_long(days: int | None, said: list[str]) -> None:
    connection = Connection(host="gpu.test", port=20_000, password="p", ports={80: 20_001}, keep_days=days)
    lines = [str(line) for line in ways_in(connection)]
    assert lines == ["ssh -p 20000 root@gpu.test   password p", "port 80   gpu.test:20001", *said]
