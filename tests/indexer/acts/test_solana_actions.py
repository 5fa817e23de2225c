"""Solana Actions as the specification's version 2.4 has them."""

from __future__ import annotations

from typing import Any

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Proposal
from tests.indexer.acts.desk import Desk, signed
from tests.indexer.acts.scenes_of_hosts import number_of
from tests.program.harness import governance
from tests.program.harness.actors import GPUM, LISTING, RENTER, STRANGER
from tests.program.harness.flows import running
from tests.program.harness.staking import stake_of

HASH = "ab" * 32
ORIGIN = {"Origin": "https://dial.to"}
METADATA = {"type", "icon", "title", "description", "label", "disabled", "links"}
PARAMETER = {"name", "label", "type", "required", "pattern", "patternDescription", "min", "max", "options"}


async def metadata(desk: Desk, path: str) -> dict[str, Any]:
    """The answer to GET, held against the specification."""
    answer = await desk.api.get(path, headers=ORIGIN)
    assert answer.status_code == 200, answer.text
    has_headers(answer)
    told: dict[str, Any] = answer.json()
    assert told.keys() <= METADATA and told["type"] == "action"
    assert (
        told["icon"].startswith("http")
        and (await desk.api.get(told["icon"])).headers["content-type"] == "image/svg+xml"
    )
    for link in told["links"]["actions"]:
        assert link.keys() <= {"type", "label", "href", "parameters"} and link["type"] == "transaction"
        for parameter in link.get("parameters", ()):
            assert parameter.keys() <= PARAMETER and f"{{{parameter['name']}}}" in link["href"]
            assert (parameter["type"] == "select") == ("options" in parameter)
    return told


async def test_action__host_of_the_request__is_not_repeated(desk: Desk) -> None:
    names = ("Host", "X-Forwarded-Host", "X-Original-Host", "X-Host", "Forwarded")
    for path in ("/api/actions/stake", "/actions.json"):
        for name in names:
            value = "host=evil.example" if name == "Forwarded" else "evil.example"
            told = (await desk.api.get(path, headers={name: value})).text
            assert told and "evil.example" not in told


def has_headers(answer: Any) -> None:
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["x-action-version"] == "2.4"
    exposed = answer.headers["access-control-expose-headers"]
    assert "X-Action-Version" in exposed and "X-Blockchain-Ids" in exposed


async def pressed(desk: Desk, href: str, account: Pubkey) -> None:
    """A button's transaction is signed and lands."""
    answer = await desk.api.post(href, json={"type": "transaction", "account": str(account)}, headers=ORIGIN)
    assert answer.status_code == 200, answer.text
    has_headers(answer)
    assert answer.headers["x-blockchain-ids"].startswith("solana:") and len(answer.headers["x-blockchain-ids"]) == 39
    told = answer.json()
    assert told.keys() == {"type", "transaction", "message"} and told["type"] == "transaction" and told["message"]
    record = desk.cluster.execute(signed(told, account))
    assert record.err is None, record.meta["logMessages"]


async def test_rules__of_the_site__name_the_actions(desk: Desk) -> None:
    answer = await desk.api.get("/actions.json", headers=ORIGIN)
    has_headers(answer)
    assert answer.json() == {"rules": [{"pathPattern": "/api/actions/**", "apiPath": "/api/actions/**"}]}


@pytest.mark.parametrize("button", [0, -1])
async def test_rent__button__opens_the_job(desk: Desk, button: int) -> None:
    renter, path = desk.market.wallet(), f"/api/actions/listings/{LISTING}/rent"
    told = await metadata(desk, path)
    href = told["links"]["actions"][button]["href"].format(order_hash=HASH, hours=2, pay="SOL")
    assert not told["disabled"]
    await pressed(desk, href, renter)
    assert desk.market.rental(desk.market.listing().current).renter == renter
    assert (await metadata(desk, path))["disabled"]


async def test_vote__button__votes(desk: Desk) -> None:
    governance.with_stake(desk.market)
    proposal = governance.proposed(desk.market)
    number = number_of(desk.market, proposal)
    told = await metadata(desk, f"/api/actions/proposals/{number}/vote")
    assert [link["label"] for link in told["links"]["actions"]] == ["For", "Against"] and not told["disabled"]
    await pressed(desk, told["links"]["actions"][0]["href"], RENTER)
    assert desk.market.read(Proposal, proposal).votes_for > 0


async def test_stake__buttons__stake_whole_tokens(desk: Desk) -> None:
    wallet = desk.market.wallet()
    told = await metadata(desk, "/api/actions/stake")
    before = desk.market.tokens(wallet, GPUM)
    await pressed(desk, told["links"]["actions"][0]["href"], wallet)
    await pressed(desk, told["links"]["actions"][-1]["href"].format(tokens=7), wallet)
    assert before - desk.market.tokens(wallet, GPUM) == stake_of(desk.market, wallet).warming == 107 * 10**6


async def test_action__refused__says_so_in_the_specifications_form(desk: Desk) -> None:
    running(desk.market, desk.market.renter())
    rent = f"/api/actions/listings/{LISTING}/rent?hours=1&order_hash={HASH}"
    missing = "/api/actions/proposals/99/vote?support=true"
    for path, account, status, name in (
        (rent, str(STRANGER), 409, "listing_occupied"),
        (missing, str(STRANGER), 404, "unknown_proposal"),
        (rent, "me", 422, "invalid_request"),
        ("/api/actions/stake?tokens=0", str(STRANGER), 422, "invalid_request"),
    ):
        answer = await desk.api.post(path, json={"account": account}, headers=ORIGIN)
        assert (answer.status_code, answer.json()["error"]) == (status, name), answer.text
        assert answer.json()["message"]
        has_headers(answer)


async def test_action__asked_by_a_page__may_be_posted_from_anywhere(desk: Desk) -> None:
    headers = ORIGIN | {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type,x-accept-action-version,x-accept-blockchain-ids",
    }
    answer = await desk.api.options("/api/actions/stake", headers=headers)
    assert answer.status_code == 200 and "POST" in answer.headers["access-control-allow-methods"]
    assert "x-accept-action-version" in answer.headers["access-control-allow-headers"].lower()


async def test_action__body_that_is_no_text__is_refused_in_the_specifications_form(desk: Desk) -> None:
    answer = await desk.api.post(
        "/api/actions/stake", content=b"\x95\x1ao\xff", headers={"content-type": "application/json"}
    )
    assert answer.status_code == 400 and answer.headers["content-type"] == "application/json"
    assert answer.json()["message"]
