"""Events: the table, the self-CPI, and layouts that have grown since."""

from __future__ import annotations

import hashlib

import pytest
from solders.pubkey import Pubkey

from anchor_idl.runtime.errors import LayoutTooShort

from .conftest import Load

KEY = Pubkey(bytes(range(32)))
OPENED = hashlib.sha256(b"event:StallOpened").digest()[:8] + (3).to_bytes(8, "little") + bytes(KEY) + b"\1"
PLACED = hashlib.sha256(b"event:OrderPlaced").digest()[:8] + (4).to_bytes(8, "little") + bytes(KEY) + b"\0"


def test_event_tag__is_the_reversed_hash(load: Load) -> None:
    assert hashlib.sha256(b"anchor:event").digest()[:8][::-1] == load("bazaar.events").EVENT_TAG


def test_decode_cpi_event__tagged_event__returns_it(load: Load) -> None:
    events = load("bazaar.events")

    event = events.decode_cpi_event(events.EVENT_TAG + OPENED)

    assert event == events.StallOpened(seq=3, stall=KEY, kind=load("bazaar.types").Side.SELL_SHORT)


def test_decode_cpi_event__without_tag__raises_unknown_event(load: Load) -> None:
    events = load("bazaar.events")

    with pytest.raises(events.UnknownEvent, match="no event's self-CPI"):
        events.decode_cpi_event(OPENED)


@pytest.mark.parametrize("data", [b"", b"\xff" * 40, OPENED[:7]])
def test_decode_event__unknown_discriminator__raises_unknown_event(load: Load, data: bytes) -> None:
    events = load("bazaar.events")

    with pytest.raises(events.UnknownEvent, match="no event starts with"):
        events.decode_event(data)


def test_decode_event__newer_tail__is_ignored(load: Load) -> None:
    events = load("bazaar.events")

    assert events.decode_event(OPENED + b"newer") == events.decode_event(OPENED)


@pytest.mark.parametrize(("tail", "note", "tip"), [(b"", None, None), (b"\0", None, None), (b"\1\1\0\0\0x", "x", None)])
def test_decode_event__ends_before_optional_fields__has_none_there(
    load: Load, tail: bytes, note: str | None, tip: int | None
) -> None:
    event = load("bazaar.events").decode_event(PLACED + tail)

    assert (event.seq, event.note, event.tip) == (4, note, tip)


@pytest.mark.parametrize("data", [PLACED[:-1], PLACED[:20], PLACED + b"\1", PLACED + b"\0\1\0"])
def test_decode_event__ends_inside_a_field__raises_undecodable_event(load: Load, data: bytes) -> None:
    events = load("bazaar.events")

    with pytest.raises(events.UndecodableEvent, match="OrderPlaced") as raised:
        events.decode_event(data)

    assert isinstance(raised.value.__cause__, LayoutTooShort)


def test_decode_event__field_without_option_missing__raises_undecodable_event(load: Load) -> None:
    events = load("bazaar.events")

    with pytest.raises(events.UndecodableEvent, match=r"StallOpened\.kind"):
        events.decode_event(OPENED[:-1])


def test_decode_event__one_byte_discriminator_and_coption__reads_them(load: Load) -> None:
    events = load("relay.events")

    event = events.decode_event(b"\x09\x00" + bytes(36))

    assert event == events.Forwarded(hop=load("relay.types").HopDirect(), authority=None, late=None)


def test_events__every_event__is_in_the_table(load: Load) -> None:
    events = load("bazaar.events")

    assert set(events.EVENTS.values()) == {events.OrderPlaced, events.StallOpened}
    assert all(key == kind.DISCRIMINATOR for key, kind in events.EVENTS.items())
