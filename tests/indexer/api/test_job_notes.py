"""A host's words on giving up a rental reach the renter by the API, still sealed."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

import httpx
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.types import CloseReason
from anchor_client.market.rental.note import MEMO_PROGRAM, Note
from anchor_client.sealing import SealKey, unseal
from localnet.server import LocalCluster
from tests.indexer.service import indexed, until_status
from tests.markets.recorded import Market
from tests.program.harness.flows import opened

KEY = SealKey.generate()


def memo(text: str) -> Instruction:
    """A memo, which anybody may add to their transaction."""
    return Instruction(MEMO_PROGRAM, text.encode(), [])


async def notes_of(api: httpx.AsyncClient, job: Pubkey, status: str) -> list[str]:
    """The API's notes for the renter, once it has the job in a state."""
    await until_status(api, str(job), status)
    told = (await api.get(f"/api/jobs/{job}/notes")).raise_for_status().json()
    assert told["job"] == str(job)
    notes: list[str] = told["notes"]
    return notes


async def test_notes__order_refused__are_what_its_host_has_sealed_to_the_renter(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    async with indexed(local, f"sqlite:///{tmp_path / 'index.db'}") as api:
        job = opened(live, live.renter())
        assert await notes_of(api, job, "queued") == []
        refusing = live.cancel_rental(job, CloseReason.ORDER_UNRUNNABLE)
        live.act(memo("hello"), refusing, Note("No command specified", KEY.public).memo(), memo("gpu-market:A="))
        [note] = await notes_of(api, job, "failed")
    assert unseal(b64decode(note), KEY) == b"No command specified"


async def test_notes__ended_by_its_renter_or_unknown__are_none(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    async with indexed(local, f"sqlite:///{tmp_path / 'index.db'}") as api:
        job = opened(live, live.renter())
        live.act(live.stop_rental(job), Note("not the host's", KEY.public).memo())
        assert await notes_of(api, job, "cancelled") == []
        missing = await api.get(f"/api/jobs/{live.renter()}/notes")
    assert (missing.status_code, missing.json()["error"]) == (404, "job_not_found")
