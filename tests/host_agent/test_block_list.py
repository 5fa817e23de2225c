"""Renters whose orders a host does not take."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Rental
from anchor_client.sealing import SealKey
from host_agent.block_list import BlockList
from host_agent.errors import HostConfigurationError, OrderUnwanted
from host_agent.orders import SealedOrderReader


def test_blocks__wallets_and_a_file_that_grows__are_refused(tmp_path: Path) -> None:
    named, listed, other = (Pubkey.new_unique() for _ in range(3))
    file = tmp_path / "blocked"
    file.write_text(f"# mined last week\n\n{listed}  # and again\n")
    blocked = BlockList({named}, file)
    blocked.require_readable()
    assert [blocked.blocks(each) for each in (named, listed, other)] == [True, True, False]
    file.write_text(f"{listed}\n{other}\n")
    assert blocked.blocks(other)


def test_blocks__nobody_is_named__takes_all() -> None:
    BlockList().require_readable()
    assert not BlockList().blocks(Pubkey.new_unique())


@pytest.mark.parametrize("text", ["not a wallet\n", None])
def test_file__cannot_be_read__is_said_at_the_start_and_blocks_nobody_later(tmp_path: Path, text: str | None) -> None:
    named, file = Pubkey.new_unique(), tmp_path / "blocked"
    if text is not None:
        file.write_text(text)
    blocked = BlockList({named}, file)
    with pytest.raises(HostConfigurationError, match="blocked"):
        blocked.require_readable()
    assert blocked.blocks(named) and not blocked.blocks(Pubkey.new_unique())


class _Empty:
    """A store without orders."""

    async def find(self, renter: Pubkey, order_hash: bytes) -> bytes | None:
        return None


async def test_order__renter_is_blocked__host_does_not_want_it() -> None:
    blocked, other = Pubkey.new_unique(), Pubkey.new_unique()
    reader = SealedOrderReader(_Empty(), SealKey.generate(), blocked=BlockList({blocked}))
    with pytest.raises(OrderUnwanted):
        await reader.order(cast(Rental, SimpleNamespace(renter=blocked, order_hash=bytes(32))))
    assert await reader.order(cast(Rental, SimpleNamespace(renter=other, order_hash=bytes(32)))) is None
