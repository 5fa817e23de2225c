"""An API of strangers: each text of its answers is hostile, and controls no terminal of a command that asks for it."""

from __future__ import annotations

import asyncio
import json
import re
import types
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

import msgspec
import pytest
from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.api import accounts, earnings, market, searches, webhooks
from anchor_client.api.accounts import ApiKey, ApiKeys, SignInTokens
from anchor_client.api.searches import SavedSearches, WalletSearch
from anchor_client.api.webhooks import Deliveries, Delivery, Replayed, Webhook, Webhooks
from anchor_client.resources.listing import INDEXED, Measured
from market_cli.main import command, main
from market_cli.plain_text import printable
from market_cli.signing.signed_in import keep
from tests.market_cli.surroundings import without_an_api
from tests.markets.marketplace import Marketplace

FORGED = "error: forged"
HOSTILE = f"[link=https://evil.example]here[/link] [/] [red]\\[x\x1b]0;owned\x07\x1b[2J\u202egnp\u2028\n{FORGED}\r[bold"
ROW = "0" * 32
COMMANDS = {
    "api-key create k": ApiKey,
    "api-key list": ApiKeys,
    f"api-key revoke {ROW}": None,
    "webhook add https://renter.example": Webhook,
    f"webhook change {ROW} --type outbid": Webhook,
    f"webhook deliveries {ROW}": Deliveries,
    "webhook list": Webhooks,
    f"webhook remove {ROW}": None,
    f"webhook replay {ROW} d": Replayed,
    f"webhook rotate {ROW}": Webhook,
    f"webhook show {ROW}": Webhook,
    f"webhook test {ROW}": Delivery,
    "search list": SavedSearches,
    f"search remove {ROW}": None,
    "listings --save s": WalletSearch,
}
"""Commands of an account, and what the API answers to them."""
SIGNING_IN = {"SignInTokens", "Challenge"}
"""Answers of which each text is checked or kept; their own tests are in `test_sign_in.py`."""
OF_THE_CHAIN = {"Payout"}
"""Answers whose texts are addresses and signatures: a test below reads one that is neither."""


def filled(kind: Any) -> Any:
    """A JSON document of a type, with HOSTILE for each text."""
    if kind in (str, Any):
        return HOSTILE
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        hints = get_type_hints(kind)
        return {field.encode_name: filled(hints[field.name]) for field in msgspec.structs.fields(kind)}
    if get_origin(kind) is types.UnionType:
        return filled(get_args(kind)[0])
    if get_origin(kind) is list:
        return [filled(get_args(kind)[0])]
    return {HOSTILE: HOSTILE} if get_origin(kind) is dict else kind(1)


def held(kind: Any) -> Iterator[str]:
    """Names of the structs that a type has."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        yield kind.__name__
        for hint in get_type_hints(kind).values():
            yield from held(hint)
    for part in get_args(kind):
        yield from held(part)


class Stranger:
    """Answers every request with one document."""

    def __init__(self) -> None:
        self.status = 200
        self.documents: dict[str, Any] = {}
        """By the end of the path; the one for "" answers all others."""

    def answer(self, path: str) -> bytes:
        name = urlsplit(path).path.rpartition("/")[2]
        return json.dumps(self.documents.get(name, self.documents.get(""))).encode()


@pytest.fixture
def stranger(marketplace: Marketplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stranger]:
    """The API that the command line is configured with, and signed in to."""
    stranger = Stranger()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = stranger.answer(self.path)
            self.send_response(stranger.status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_PATCH = do_PUT = do_DELETE = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        without_an_api(marketplace, tmp_path, monkeypatch)
        url = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setenv("GPU_MARKET_API_URL", url)
        monkeypatch.setenv("FORCE_COLOR", "1")
        keep(url, SignInTokens("w", "a", "r", 3_600, expires_at=2.0**40))
        yield stranger
        server.shutdown()
        thread.join()


async def shown(marketplace: Marketplace, capfd: pytest.CaptureFixture[str], words: str) -> tuple[int, str, str]:
    """Runs a command; returns its exit code and both outputs without our own colours. Nothing in them is obeyed."""
    code = await asyncio.to_thread(main, ["--rpc", marketplace.cluster.rpc_url, *words.split()])
    told = capfd.readouterr()
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", text) for text in (told.out, told.err)]
    for text in plain:
        assert printable(text) == text, words
        assert not any(line.startswith(FORGED) for line in text.splitlines()), words
    return code, plain[0], plain[1]


def test_table__of_answers_with_text__has_each() -> None:
    answers = {
        name
        for module in (accounts, earnings, market, searches, webhooks)
        for name, kind in vars(module).items()
        if isinstance(kind, type)
        and issubclass(kind, msgspec.Struct)
        and kind.__module__ == module.__name__
        and str in get_type_hints(kind).values()
        and not name.endswith("Refusal")
    }
    covered = {name for kind in COMMANDS.values() for name in held(kind)}
    assert answers - covered == SIGNING_IN | OF_THE_CHAIN
    groups = ("api-key", "webhook", "search")
    given = {" ".join(words.split()[:2]) for words in COMMANDS}
    assert given >= {f"{group} {name}" for group in groups for name in command().commands[group].commands}


@pytest.mark.parametrize("status", [200, 400, 503])
async def test_account__answer_of_a_stranger__obeys_nothing(
    marketplace: Marketplace, stranger: Stranger, capfd: pytest.CaptureFixture[str], status: int
) -> None:
    stranger.status = status
    for words, kind in COMMANDS.items():
        stranger.documents[""] = filled(market.Refusal if status != 200 else kind) if kind or status != 200 else None
        code, out, err = await shown(marketplace, capfd, words)
        assert (code == 0) == (status == 200), (words, out, err)
        if status != 200 or kind not in (None, Replayed):
            assert "[link=https://evil.example]" in "".join((out + err).split("\n")), words


async def test_listings__answer_of_a_stranger__obeys_nothing_or_is_named(
    marketplace: Marketplace, stranger: Stranger, capfd: pytest.CaptureFixture[str]
) -> None:
    [machine] = await marketplace.add_machines(1)
    good = {"measured_at": 1, "tested": True, "driver": HOSTILE}
    measured = dict.fromkeys(Measured.names(), 1) | good
    row = {"id": str(machine), "verified": True, "issues_reported": 1, "measured": measured}
    wrong = [
        {name: value for name, value in row.items() if name not in INDEXED},
        *(row | {name: HOSTILE} for name in row),
        row | {"measured": {}},
        row | {"measured": measured | {"disk_mbps": HOSTILE}},
        row | {"measured": measured | {"driver": 5}},
        HOSTILE,
        None,
    ]
    commands = ("listings --verified", "gpus --verified", f"listing {machine}")
    stranger.documents = {"listings": {"listings": [row], "next_cursor": None}, "": row}
    assert [(await shown(marketplace, capfd, words))[0] for words in commands] == [0, 0, 0]
    for each in wrong:
        stranger.documents = {"listings": {"listings": [each], "next_cursor": None}, "": each}
        for words in commands[:2]:
            code, _, err = await shown(marketplace, capfd, words)
            assert code and "invalid list of listings" in err, (each, words)
        code, _, err = await shown(marketplace, capfd, commands[2])
        assert code == 0 and ("showing chain data only" in err or each == row | {"id": HOSTILE}), each


@pytest.mark.parametrize("field", ["job", "mint", "tx"])
async def test_earnings__answer_of_a_stranger__is_named(
    marketplace: Marketplace, stranger: Stranger, capfd: pytest.CaptureFixture[str], field: str
) -> None:
    figures = {"ts": 1, "decimals": 6, "amount": 1, "seconds": 1}
    payout = figures | {"job": str(Pubkey.default()), "mint": str(Pubkey.default()), "tx": str(Signature.default())}
    prices = {"prices": [], "next_cursor": None}
    words = f"host earnings --csv {marketplace.host.pubkey()}"
    for row, named in ((payout, ""), (payout | {field: HOSTILE}, "does not answer with a payout")):
        stranger.documents = {"payouts": {"payouts": [row], "next_cursor": None}, "prices": prices}
        code, _, err = await shown(marketplace, capfd, words)
        assert (code != 0) == bool(named) and named in err, err
