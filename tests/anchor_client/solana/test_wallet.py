"""Keys: read, made, and never shown."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from solders.keypair import Keypair

from anchor_client.errors import BadAddress, BadKeyFile, KeyFileExists
from anchor_client.solana.wallet import Wallet, parse_address


def test_generate__with_a_path__saves_for_the_owner_alone_and_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "deep/key.json"
    wallet = Wallet.generate(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Wallet.from_file(path).pubkey == wallet.pubkey


def test_generate__over_a_file__is_refused_and_leaves_it(tmp_path: Path) -> None:
    path = tmp_path / "key.json"
    path.write_text("precious")
    with pytest.raises(KeyFileExists):
        Wallet.generate(path)
    assert path.read_text() == "precious"


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "[1,2,3]", "[" + "0," * 63 + "256]", '["a"]', "not json", json.dumps([True] * 64)],
)
def test_from_file__what_is_no_key__is_one_clear_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "key.json"
    path.write_text(text)
    with pytest.raises(BadKeyFile, match="is not a JSON array of 64 numbers") as raised:
        Wallet.from_file(path)
    assert raised.value.remedy


def test_from_file__halves_that_do_not_fit__is_damaged(tmp_path: Path) -> None:
    numbers = list(bytes(Keypair()))
    numbers[40] ^= 1
    path = tmp_path / "key.json"
    path.write_text(json.dumps(numbers))
    with pytest.raises(BadKeyFile, match="damaged"):
        Wallet.from_file(path)


def test_from_file__missing_or_a_directory__is_a_bad_key_file(tmp_path: Path) -> None:
    with pytest.raises(BadKeyFile, match="There is no key file"):
        Wallet.from_file(tmp_path / "none.json")
    with pytest.raises(BadKeyFile, match="cannot be read"):
        Wallet.from_file(tmp_path)


@pytest.mark.parametrize("text", ["0OIl", "abc", "1" * 88, "z" * 200])
def test_from_environment__what_is_no_key__never_shows_the_text(text: str) -> None:
    with pytest.raises(BadKeyFile, match="is not the base58 text") as raised:
        Wallet.from_environment("KEY", {"KEY": text})
    assert text not in raised.value.message


def test_from_environment__path_base58_or_json__are_all_read(tmp_path: Path) -> None:
    keypair, path = Keypair(), tmp_path / "key.json"
    Wallet(keypair).save(path)
    for value in (str(path), f" {keypair}\n", keypair.to_json()):
        assert Wallet.from_environment("KEY", {"KEY": value}).pubkey == keypair.pubkey()


def test_from_environment__unset_or_wrong__is_a_bad_key_file() -> None:
    for environment in ({}, {"KEY": " "}, {"KEY": "nonsense"}, {"KEY": "[1]"}, {"KEY": "/no/such/file"}):
        with pytest.raises(BadKeyFile):
            Wallet.from_environment("KEY", environment)


def test_wallet__printed__shows_its_address_alone() -> None:
    wallet = Wallet(Keypair())
    assert repr(wallet) == f"Wallet({wallet.pubkey})"


def test_parse_address__text__is_an_address_or_refused() -> None:
    address = Keypair().pubkey()
    assert parse_address(f" {address} ") == address
    for text in ("", "abc", "0" * 44, str(address)[:-4]):
        with pytest.raises(BadAddress):
            parse_address(text)
