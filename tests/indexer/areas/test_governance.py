"""Proposals and votes: in the tables as on the chain, and in the API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from sqlalchemy import Engine

from anchor_client.generated import accounts
from anchor_client.generated.pdas import find_governance
from anchor_client.generated.types import ProposalState
from indexer.api.main import create_app
from indexer.index.ingest import ingest
from indexer.index.rebuild import rebuild
from indexer.models import Host, MarketChange, MarketParameterValue, Proposal, Stake, Vote
from indexer.models import Market as MarketRow
from indexer.settings import IndexerSettings
from indexer.status import Status
from tests.indexer.databases import on_both_databases
from tests.indexer.governance import STAKE, TITLE, govern
from tests.indexer.tables import contents, only, rows_of
from tests.markets.recorded import Market
from tests.program.harness.actors import AUTHORITY
from tests.sweeps import sampled


@dataclass
class Governed:
    market: Market
    proposals: list[Pubkey]


@pytest.fixture
def governed(market: Market, engine: Engine) -> Governed:
    """The index of a market that has voted on six proposals."""
    proposals = govern(market)
    result = ingest(market.transactions(), engine)
    assert (result.dead_letters, result.gaps) == (0, {})
    return Governed(market, proposals)


@pytest.fixture
def api(governed: Governed, engine: Engine) -> Iterator[TestClient]:
    """The API over it, at the chain's present time."""
    status, clock = Status(), governed.market.node.clock
    configuration = governed.market.market()
    status.saw_head(clock.slot, clock.unix_timestamp, configuration)
    status.completed(clock.slot)
    with TestClient(create_app(IndexerSettings(), engine=engine, status=status)) as client:
        yield client


def test_ingest__proposals__equal_the_chain(governed: Governed, engine: Engine) -> None:
    rows = {row.address: row for row in rows_of(engine, Proposal)}
    assert set(rows) == {str(address) for address in governed.proposals}
    cancelled = governed.proposals[3]
    assert (rows[str(cancelled)].state, governed.market.exists(cancelled)) == ("cancelled", False)
    assert rows[str(cancelled)].returned_at is not None
    for address in governed.proposals:
        if address == cancelled:
            continue
        row, state = rows[str(address)], governed.market.read(accounts.Proposal, address)
        assert row.state == ProposalState(state.state).name.lower()
        assert (row.execute_at or 0, str(state.proposer)) == (state.execute_at, row.proposer)
        assert row.critical == bool(state.critical)
        names = ("votes_for", "votes_against", "voters", "eligible", "seq", "ends_at", "created_at", "quorum_bps")
        for name in (*names, "threshold_bps", "timelock"):
            assert getattr(row, name) == getattr(state, name), name


def test_ingest__votes__stay_when_their_rent_goes_back(governed: Governed, engine: Engine) -> None:
    executed = str(governed.proposals[0])
    votes = [row for row in rows_of(engine, Vote) if row.proposal == executed]
    assert [(row.support, row.weight) for row in votes] == [(True, STAKE)] * 2
    assert sum(row.closed_at is not None for row in votes) == 1


def test_ingest__stakes_that_voted__stay_as_long_as_on_the_chain(governed: Governed, engine: Engine) -> None:
    stakes = rows_of(engine, Stake)
    for row in stakes:
        account = governed.market.read(accounts.StakeAccount, Pubkey.from_string(row.address))
        assert (row.voting_until, row.seq) == (account.voting_until, account.seq)
    assert len(stakes) == 5 and all(row.voting_until > 0 for row in stakes)


def test_stakes__held_by_an_open_vote__says_until_when(governed: Governed, api: TestClient) -> None:
    [open_vote] = api.get("/api/governance/proposals?state=voting").json()["proposals"]
    held = {stake["owner"]: stake["voting_until"] for stake in api.get("/api/rewards/stakes").json()["stakes"]}
    assert held.pop(open_vote["proposer"]) == open_vote["ends_at"] > open_vote["created_at"]
    assert list(held.values()) == [None] * 4


def test_ingest__hand_over_and_execution__show_in_the_configuration(governed: Governed, engine: Engine) -> None:
    assert only(engine, MarketRow).authority == str(find_governance()[0])
    changes = {row.subject: row for row in rows_of(engine, MarketChange)}
    assert changes["authority"].old == str(AUTHORITY)
    values = {row.name: row.value for row in rows_of(engine, MarketParameterValue)}
    assert values["tip_lamports"] == 7
    assert only(engine, Host).approved


@on_both_databases
def test_rebuild__governance__gives_the_same_tables(governed: Governed, engine: Engine) -> None:
    before = contents(engine)
    rebuild(engine)
    assert contents(engine) == before


def test_proposals__listed__newest_first_in_their_stage(api: TestClient) -> None:
    answer: Any = api.get("/api/governance/proposals").json()
    assert [item["id"] for item in answer["proposals"]] == [5, 4, 3, 2, 1, 0]
    assert [item["stage"] for item in answer["proposals"]] == [
        *("voting", "vetoed", "cancelled", "defeated", "due", "executed"),
    ]
    assert [item["id"] for item in answer["proposals"] if item["critical"]] == [4]
    assert answer["next_cursor"] is None


def test_proposals__pages_and_filters__leave_none_out(api: TestClient, governed: Governed) -> None:
    first: Any = api.get("/api/governance/proposals", params={"limit": 3}).json()
    rest: Any = api.get("/api/governance/proposals", params={"limit": 3, "cursor": first["next_cursor"]}).json()
    assert [item["id"] for item in first["proposals"] + rest["proposals"]] == [5, 4, 3, 2, 1, 0]
    queued: Any = api.get("/api/governance/proposals", params={"state": "queued"}).json()
    assert [item["id"] for item in queued["proposals"]] == [1]
    vetoed: Any = api.get("/api/governance/proposals", params={"state": "vetoed"}).json()
    assert [item["id"] for item in vetoed["proposals"]] == [4]
    proposer = first["proposals"][1]["proposer"]
    mine: Any = api.get("/api/governance/proposals", params={"proposer": proposer}).json()
    assert [item["id"] for item in mine["proposals"]] == [4, 3]


def test_proposal__by_number__has_its_action_rules_and_votes(api: TestClient) -> None:
    proposal: Any = api.get("/api/governance/proposals/0").json()
    assert proposal["title"] == TITLE
    assert proposal["action"] == {"kind": "set_parameter", "parameter": "tip_lamports", "value": 7}
    assert (proposal["votes_for"], proposal["votes_against"]) == (str(2 * STAKE), "0")
    assert (proposal["quorum"], proposal["needed"]) == (str(STAKE // 2), str(2 * STAKE * 6 // 10))
    assert [(vote["support"], vote["weight"]) for vote in proposal["votes"]] == [(True, str(STAKE))] * 2


def test_market__configured__tells_keys_pauses_and_parameters(api: TestClient) -> None:
    market: Any = api.get("/api/market").json()
    assert (market["testing"], market["authority"]) == (True, str(find_governance()[0]))
    assert market["parameters"]["tip_lamports"] == "7"
    assert market["parameters"]["critical_quorum_bps"] == "3000"
    assert market["paused"] == []


@pytest.mark.parametrize(
    ("path", "status"), sampled([("/99", 404), ("/-1", 422), ("?state=odd", 422), ("?cursor=odd", 422)], every=2)
)
def test_proposals__unknown_or_malformed__is_refused(api: TestClient, path: str, status: int) -> None:
    answer: Any = api.get(f"/api/governance/proposals{path}")
    assert answer.status_code == status
