"""Texts that wallets sign, against the packages of Solana and of Ledger: as they are or in an envelope, nothing else.

Invariant IDX-13.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.api.sign_in import SignInMessage
from anchor_client.errors import OrderNotSigned
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.orders.delivery import UnsignedOrder, statement
from anchor_client.signed_text import MAX_ENVELOPE, SIGNING_DOMAIN, envelope, is_signed, text_in
from tests.clients.npm import installed

SOURCES = Path(__file__).parent / "offchain"
RECORDED = SOURCES / "vectors.json"
SECONDS = 60
HEADER = 85
WALLET = Keypair.from_seed(bytes(range(32)))
OTHER = Keypair.from_seed(bytes(range(1, 33)))
NONE = Pubkey.default()
SIGN_IN = SignInMessage(
    "market.example",
    str(WALLET.pubkey()),
    "Sign in to gpu-market. This sends no transaction and costs nothing.",
    uri="https://market.example",
    version="1",
    chain_id="solana:mainnet",
    nonce="0123456789abcdef",
    issued_at="2026-01-01T00:00:00.000Z",
    expiration_time="2026-01-01T00:05:00.000Z",
)
TEXTS = [
    str(SIGN_IN),
    statement(bytes(range(32)), b"sealed", 1_700_000_000_000).decode(),
    "one line",
    "Größe €",
    "a" * (MAX_ENVELOPE - HEADER),
]
FORMS = ["kit 0 ascii", "kit 0 utf-8", "kit 1", "ledger 0", "ledger 0 short", "ledger 1", "ledger 1 with a length"]


def cases() -> list[dict[str, str]]:
    """Every text with this market's application and with none."""
    signer = {"signer": str(WALLET.pubkey()), "signerKey": bytes(WALLET.pubkey()).hex()}
    return [{"text": text, "application": str(of), **signer} for text in TEXTS for of in (PROGRAM_ID, NONE)]


def recorded() -> list[dict[str, str | None]]:
    """Signed messages that the packages made of the cases."""
    told: dict[str, Any] = json.loads(RECORDED.read_text())
    found: list[dict[str, str | None]] = told["made"]
    return found


def vectors() -> Iterator[tuple[str, str, bytes]]:
    """Text, form and envelope of each that the packages make."""
    for case, made in zip(cases(), recorded(), strict=True):
        assert list(made) == FORMS
        for form, told in made.items():
            if told is not None:
                yield case["text"], form, bytes.fromhex(told)


def signature(signed: bytes, by: Keypair = WALLET) -> Signature:
    return by.sign_message(signed)


@pytest.mark.exhaustive
def test_vectors__made_by_the_packages_again__are_the_recorded_ones() -> None:
    packages = json.loads((SOURCES / "package.json").read_text())["dependencies"]
    modules = installed(SOURCES, "off-chain")
    command = ["node", str(SOURCES / "vectors.mjs"), str(modules)]
    asked = json.dumps(cases())
    ended = subprocess.run(command, input=asked, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert ended.returncode == 0, ended.stderr
    told = {"packages": packages, "made": json.loads(ended.stdout)}
    if "RECORD" in os.environ:
        RECORDED.write_text(json.dumps(told, indent=1) + "\n")
    assert told == json.loads(RECORDED.read_text())


def test_vectors__of_each_form__are_signed_texts_of_their_signer() -> None:
    found = list(vectors())
    for text, form, signed in found:
        assert text_in(signed, WALLET.pubkey()) == text.encode(), form
        assert is_signed(text.encode(), WALLET.pubkey(), signature(signed)), form
    assert {form for _, form, _ in found} == set(FORMS)


def test_vectors__of_the_crate_s_own_tests__are_read() -> None:
    # From the tests of solana-offchain-message 4.0.0, which `solana sign-offchain-message` uses.
    ascii_text, utf8_text = b"Test Message", "Тестовое сообщение".encode()
    ascii_signed = SIGNING_DOMAIN + bytes([0, 0, 12, 0]) + ascii_text
    utf8_signed = SIGNING_DOMAIN + bytes([0, 1, 35, 0]) + utf8_text
    hashes = ["HG5JydBGjtjTfD3sSn21ys5NTWPpXzmqifiGC2BVUjkD", "6GXTveatZQLexkX4WeTpJ3E7uk1UojRXpKp43c4ArSun"]
    for text, signed, digest in zip((ascii_text, utf8_text), (ascii_signed, utf8_signed), hashes, strict=True):
        assert str(Pubkey(sha256(signed).digest())) == digest
        assert text_in(signed, WALLET.pubkey()) == text
        assert is_signed(text, WALLET.pubkey(), signature(signed))


def test_envelope__for_this_market__is_the_package_s() -> None:
    for case, made in zip(cases(), recorded(), strict=True):
        if case["application"] == str(PROGRAM_ID):
            printable = made["kit 0 ascii"] or made["kit 0 utf-8"]
            assert envelope(case["text"].encode(), WALLET.pubkey()).hex() == printable
    with pytest.raises(ValueError, match="1233 bytes"):
        envelope(b"a" * (MAX_ENVELOPE - HEADER + 1), WALLET.pubkey())


def test_signature__over_an_envelope__counts_for_no_other_text_or_wallet() -> None:
    for text, form, signed in vectors():
        given = signature(signed)
        for other in {*TEXTS, text + " ", "", text[:-1]} - {text}:
            assert not is_signed(other.encode(), WALLET.pubkey(), given), form
        assert not is_signed(text.encode(), OTHER.pubkey(), given), form
        assert not is_signed(text.encode(), WALLET.pubkey(), signature(signed, OTHER)), form


def changed(signed: bytes) -> Iterator[bytes]:
    """A version 0 of another application, another format, another signer, of two, of none, of another length or end."""
    application, form, count, signer = 17, 49, 50, slice(51, 83)
    yield signed[:application] + bytes([signed[application] ^ 1]) + signed[application + 1 :]
    for byte in (2, 3, 0xFF):
        yield signed[:form] + bytes([byte]) + signed[form + 1 :]
    yield signed[: signer.start] + bytes(OTHER.pubkey()) + signed[signer.stop :]
    for count_byte, more in ((2, bytes(OTHER.pubkey())), (0, b"")):
        whose = bytes(WALLET.pubkey()) if count_byte else b""
        yield signed[:count] + bytes([count_byte]) + whose + more + signed[signer.stop :]
    yield signed[: signer.stop] + b"\0\0" + signed[signer.stop + 2 :]
    yield signed + b"\0"
    yield signed[:16] + b"\2" + signed[17:]
    yield b"\xfe" + signed[1:]


def test_envelope__of_another_application_signer_or_form__is_no_signed_text() -> None:
    for text in TEXTS[:2]:
        for wrong in changed(envelope(text.encode(), WALLET.pubkey())):
            assert not is_signed(text.encode(), WALLET.pubkey(), signature(wrong))
            if wrong.startswith(SIGNING_DOMAIN):
                with pytest.raises(ValueError, match="not one of"):
                    text_in(wrong, WALLET.pubkey())


def test_order__another_sealed__is_not_signed() -> None:
    order = UnsignedOrder(WALLET.pubkey(), bytes(32), b"sealed", 1)
    signed = order.signed_with(signature(envelope(order.message, WALLET.pubkey())))
    with pytest.raises(OrderNotSigned):
        replace(signed, sealed=b"another").verify()
    with pytest.raises(OrderNotSigned):
        replace(signed, signed_at=2).verify()
    with pytest.raises(OrderNotSigned):
        order.signed_with(signature(envelope(str(SIGN_IN).encode(), WALLET.pubkey())))


def test_text_in__a_text_as_it_is__is_the_same() -> None:
    for text in TEXTS:
        assert text_in(text.encode(), WALLET.pubkey()) == text.encode()
    for short in (SIGNING_DOMAIN, SIGNING_DOMAIN + b"\0", SIGNING_DOMAIN + bytes(100)):
        with pytest.raises(ValueError, match="not one of"):
            text_in(short, WALLET.pubkey())
