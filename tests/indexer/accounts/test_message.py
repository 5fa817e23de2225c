"""The sign-in message is the one that the wallet standard's own package makes, reads and verifies."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from solders.keypair import Keypair

from anchor_client.api.sign_in import SignInMessage
from tests.indexer.accounts.wallets import input_of, message_of

SOURCES = Path(__file__).parent / "javascript"
SECONDS = 60
INSTALL_SECONDS = 180
WALLET = Keypair.from_seed(bytes(range(32)))
ADDRESS = str(WALLET.pubkey())
BARE = SignInMessage("market.example", ADDRESS)
FULL = SignInMessage(
    "market.example:8443",
    ADDRESS,
    "Sign in: costs nothing. Größe €",
    uri="https://market.example/a?b=c",
    version="1",
    chain_id="solana:mainnet",
    nonce="0123456789abcdef",
    issued_at="2026-01-01T00:00:00.000Z",
    expiration_time="2026-01-01T00:05:00.000Z",
    not_before="2026-01-01T00:00:00.000Z",
    request_id="r-1",
    resources=("https://a.example", "ipfs://b"),
)
FIELDS = tuple(name for name in vars(SignInMessage)["__slots__"] if name not in ("domain", "address"))
MESSAGES = [
    BARE,
    FULL,
    *(replace(BARE, **{name: getattr(FULL, name)}) for name in FIELDS),
    *(replace(FULL, **{name: None}) for name in FIELDS),
    replace(FULL, resources=()),
    replace(BARE, resources=()),
]
NO_MESSAGES = [
    "",
    "nonsense",
    f"{FULL}\n",
    f"\n{FULL}",
    str(FULL).replace("Nonce", "Nounce"),
    str(FULL).replace("Version: 1\n", "").replace("Nonce:", "Version: 1\nNonce:"),
    str(FULL).replace("Nonce: ", "Nonce: 1\nNonce: "),
    str(FULL).replace("Sign in: costs nothing.", "Two\nlines."),
    str(FULL).replace("\n- ipfs", "\n-ipfs"),
    str(BARE).replace("account:\n", "account:"),
]


@pytest.mark.parametrize("message", MESSAGES, ids=str)
def test_message__its_text__is_read_as_the_same(message: SignInMessage) -> None:
    assert SignInMessage.parse(str(message)) == message
    assert message_of(input_of(message), ADDRESS) == message


@pytest.mark.parametrize("text", NO_MESSAGES)
def test_message__text_of_another_form__is_none(text: str) -> None:
    with pytest.raises(ValueError, match="sign-in message"):
        SignInMessage.parse(text)


@pytest.mark.parametrize("name", ["domain", "address", *FIELDS])
@pytest.mark.parametrize("value", ["a\nURI: https://evil.example", "", "\n"])
def test_message__text_of_several_lines_or_none__is_refused(name: str, value: str) -> None:
    with pytest.raises(ValueError, match="one line"):
        replace(FULL, **{name: (value,) if name == "resources" else value})


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script with its package installed; skipped without node and npm, but not in CI."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("node and npm are not on PATH")
        pytest.skip("node and npm are not on PATH")
    directory = tmp_path_factory.mktemp("javascript")
    shutil.copytree(SOURCES, directory, dirs_exist_ok=True)
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"]
    subprocess.run(command, cwd=directory, check=True, capture_output=True, timeout=INSTALL_SECONDS)
    return directory


def run(package: Path, **cases: Any) -> dict[str, Any]:
    """The package's results for inputs, texts and outputs."""
    given = json.dumps({"inputs": [], "texts": [], "outputs": []} | cases)
    ended = subprocess.run(
        ["node", "sign_in.js"], cwd=package, input=given, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert ended.returncode == 0, ended.stderr
    told: dict[str, Any] = json.loads(ended.stdout)
    return told


@pytest.mark.exhaustive
def test_message__every_optional_field__is_the_package_s_own(package: Path) -> None:
    told = run(package, inputs=[input_of(each) for each in MESSAGES], texts=[str(each) for each in MESSAGES])
    assert told["texts"] == [str(message) for message in MESSAGES]
    assert [message_of(parsed, ADDRESS) for parsed in told["parsed"]] == MESSAGES


def case(asked: SignInMessage, signed: str, wallet: Keypair = WALLET, **changed: str) -> dict[str, Any]:
    signature = bytes(wallet.sign_message(signed.encode()))
    told = {
        "input": input_of(asked),
        "publicKey": bytes(WALLET.pubkey()).hex(),
        "signedMessage": signed.encode().hex(),
        "signature": signature.hex(),
    }
    return told | changed


@pytest.mark.exhaustive
def test_message__signed__is_verified_by_the_package_and_nothing_else_is(package: Path) -> None:
    good = [case(message, str(message)) for message in MESSAGES]
    bad = [
        case(FULL, str(replace(FULL, domain="evil.example"))),
        case(FULL, str(replace(FULL, nonce="another"))),
        case(FULL, str(FULL), Keypair()),
        case(FULL, str(FULL), signature="00" * 64),
        *(case(FULL, text) for text in NO_MESSAGES if text.strip("\n") != str(FULL)),
    ]
    told = run(package, outputs=[*good, *bad])
    assert told["verified"] == [True] * len(good) + [False] * len(bad)
