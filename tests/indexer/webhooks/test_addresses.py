"""Notices never go into the API's own network: not by an address, a name, a second look at it, or a redirect. Invariant
IDX-9."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from anchor_client.service.name_lookup import NameLookup
from anchor_client.service.networks import is_public
from indexer.accounts.deliveries import DeliveryOutcome, Waiting
from indexer.accounts.webhooks import new_signing_secret
from indexer.api.webhooks.addresses import AddressRefused, checked_url
from indexer.api.webhooks.sending import MOST_ANSWER_BYTES, attempt
from tests.indexer.webhooks.receiver import Receiver

PUBLIC = "93.184.215.14"
INSIDE = (
    *("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
    *("192.0.2.1", "192.0.0.192", "198.18.0.1", "224.0.0.1", "239.1.2.3", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1"),
    *("::ffff:10.0.0.1", "::ffff:93.184.215.14", "::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1", "2002:a00:1::"),
    *("2001:0:a00:1::",),
)


class Names:
    """A resolver whose answers change, and that counts how often it is asked."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers, self.asked = [*answers], 0

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked += 1
        return self.answers.pop(0)


def waiting(url: str, secret: str = "") -> Waiting:
    return Waiting(
        "msg_1",
        "webhook.test",
        '{"type":"webhook.test","data":{}}',
        0,
        "endpoint",
        url,
        (secret or new_signing_secret(),),
    )


@pytest.mark.parametrize("place", INSIDE)
def test_address__inside__is_none_of_the_public(place: str) -> None:
    assert not is_public(place)


@pytest.mark.parametrize("place", [PUBLIC, "8.8.8.8", "2606:4700:4700::1111", "2001:4860:4860::8888"])
def test_address__of_everybody__is_public(place: str) -> None:
    assert is_public(place)


@pytest.mark.parametrize(
    "url",
    [
        *("http://a.example/", "ftp://a.example/", "https://user@a.example/", "https://u:p@a.example/", "https://"),
        *("https://127.0.0.1/", "https://[::1]/", "https://[::ffff:10.0.0.1]/", "https://169.254.169.254/latest"),
    ],
)
def test_url__that_is_not_public_https__is_refused(url: str) -> None:
    with pytest.raises(AddressRefused):
        checked_url(url, private=False)


@pytest.mark.parametrize("url", ["https://localhost/", "https://127.1/", "https://0x7f.1/", "https://2130706433/"])
async def test_attempt__name_of_this_machine__is_refused(url: str) -> None:
    assert "is not a public address" in ((await attempt(waiting(url), NameLookup(), private=False)).error or "")


@pytest.mark.parametrize("places", [["127.0.0.1"], [PUBLIC, "10.0.0.1"], ["::ffff:127.0.0.1"], []])
async def test_attempt__name_that_leads_inside__connects_to_nothing(receiver: Receiver, places: Sequence[str]) -> None:
    url = receiver.url.replace("http://127.0.0.1", "https://a.example")
    outcome = await attempt(waiting(url), Names(places), private=False)
    assert outcome.response is None and "address" in (outcome.error or "")
    assert receiver.is_empty


async def test_attempt__name_that_changes_its_mind__stays_with_what_was_checked(receiver: Receiver) -> None:
    """The name leads nowhere by itself: what is connected to is the one answer that was looked at."""
    names = Names(["127.0.0.1"], ["10.0.0.1"])
    secret = new_signing_secret()
    receiver.secrets.append(secret)
    url = receiver.url.replace("127.0.0.1", "rebinding.invalid")
    assert (await attempt(waiting(url, secret), names, private=True)).error is None
    assert names.asked == 1 and receiver.take().signed_by == [secret]


async def test_attempt__redirect__is_not_followed(receiver: Receiver) -> None:
    receiver.answers.append((307, {"Location": receiver.url}))
    outcome = await attempt(waiting(receiver.url), Names(["127.0.0.1"]), private=True)
    assert outcome.response == 307 and "redirects" in (outcome.error or "")
    receiver.take()
    assert receiver.is_empty


@pytest.mark.parametrize(
    ("head", "chunk", "error"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65_536, None),
        (b"HTTP/1.1 200 OK\r\n", b"a: " + b"b" * 1_000 + b"\r\n", "it is too large"),
    ],
    ids=["body", "headers"],
)
async def test_attempt__answer_without_end__is_cut(head: bytes, chunk: bytes, error: str | None) -> None:
    outcome, sent = await against(head, chunk)
    assert outcome.error == error
    assert sent < 1_000 * MOST_ANSWER_BYTES


async def against(head: bytes, chunk: bytes) -> tuple[DeliveryOutcome, int]:
    """An attempt at a server that never stops answering, and how much that has sent."""
    sent, closed = 0, asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(head)
        try:
            while True:
                writer.write(chunk)
                await writer.drain()
                sent += len(chunk)
        except ConnectionError:
            closed.set()
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        outcome = await attempt(waiting(f"http://a.invalid:{port}/"), Names(["127.0.0.1"]), private=True)
        await closed.wait()
    return outcome, sent
