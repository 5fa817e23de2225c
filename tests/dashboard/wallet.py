"""A wallet of the wallet standard in the page; it signs outside of it, with a key that the page never has."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import BrowserContext, expect
from solders.keypair import Keypair

from anchor_client.signed_text import SIGNING_DOMAIN
from tests.dashboard.visit import Visit
from tests.e2e.seeded import UpProcess

SCRIPT = """
(() => {
  const decode = text => Uint8Array.from(atob(text), char => char.charCodeAt(0));
  const encode = bytes => btoa(String.fromCharCode(...bytes));
  const account = {
    address: ADDRESS, publicKey: decode(PUBLIC_KEY), chains: [CHAIN],
    features: ["solana:signTransaction", "solana:signMessage"],
  };
  const wallet = {
    version: "1.0.0", name: "Test wallet", chains: [CHAIN], accounts: [account],
    icon: "data:image/svg+xml;base64,PHN2Zy8+",
    features: {
      "standard:connect": { version: "1.0.0", connect: async () => ({ accounts: [account] }) },
      "standard:events": { version: "1.0.0", on: () => () => undefined },
      "solana:signTransaction": {
        version: "1.0.0", supportedTransactionVersions: VERSIONS,
        signTransaction: async (...asked) => Promise.all(asked.map(async ({ transaction }) => (
          { signedTransaction: decode(await window.signOutside("transaction", encode(transaction))) }))),
      },
      "solana:signMessage": {
        version: "1.0.0",
        signMessage: async (...asked) => Promise.all(asked.map(async ({ message }) => (
          { signedMessage: message, signature: decode(await window.signOutside("message", encode(message))) }))),
      },
    },
  };
  const register = api => api.register(wallet);
  window.dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: register }));
  window.addEventListener("wallet-standard:app-ready", ({ detail }) => register(detail));
})();
"""
SIGNATURE_BYTES = 64
VERSION_1 = 0x81
SIGN = "Sign and send"


def give_wallet(
    context: BrowserContext,
    key: Keypair,
    *,
    chain: str = "solana:localnet",
    versions: Sequence[str | int] = ("legacy", 0),
    on_device: bool = False,
) -> list[str]:
    """Gives every page of a context the wallet, which takes these versions of transactions; what it is asked to sign
    is in the list: `message`, or a transaction as `v0` or `v1`. A key on a device signs off-chain messages only."""
    asked: list[str] = []

    def sign(kind: str, text: str) -> str:
        data = base64.b64decode(text)
        if kind == "message":
            asked.append(kind)
            assert not on_device or data.startswith(SIGNING_DOMAIN), "6a81"
            return base64.b64encode(bytes(key.sign_message(data))).decode()
        if data[0] == VERSION_1:
            asked.append("v1")
            assert data[1] == 1, "the renter is to be the only signer"
            message = data[:-SIGNATURE_BYTES]
            return base64.b64encode(message + bytes(key.sign_message(message))).decode()
        asked.append("v0")
        assert data[0] == 1, "the renter is to be the only signer"
        signature = bytes(key.sign_message(data[1 + SIGNATURE_BYTES :]))
        return base64.b64encode(data[:1] + signature + data[1 + SIGNATURE_BYTES :]).decode()

    context.expose_function("signOutside", sign)
    public = base64.b64encode(bytes(key.pubkey())).decode()
    given = {"ADDRESS": str(key.pubkey()), "PUBLIC_KEY": public, "CHAIN": chain, "VERSIONS": versions}
    script = SCRIPT
    for name, value in given.items():
        script = script.replace(name, json.dumps(value))
    context.add_init_script(script)
    return asked


def stake_holder(market: UpProcess, file: Path) -> Path:
    """Makes the key file of a wallet with tokens that nobody has staked."""
    mine = ("--keypair", str(file))
    market.console.run("wallet", "new", str(file))
    market.console.run("wallet", "airdrop", "5", *mine)
    market.console.run("wallet", "airdrop", "200000", "--token", "GPUM", *mine)
    return file


def open_wallets(visit: Visit) -> None:
    """Opens the list of the wallets that the page can use."""
    visit.page.get_by_role("banner").get_by_role("button", name="Connect a wallet").click()


def connect(visit: Visit, *, on_device: bool = False) -> None:
    """Connects the wallet that the page was given."""
    open_wallets(visit)
    if on_device:
        visit.page.get_by_label("Its key is on a hardware wallet").check()
    visit.page.get_by_role("button", name="Test wallet", exact=True).click()
    expect(visit.page.get_by_role("dialog")).to_have_count(0)


def enter(visit: Visit, file: Path) -> None:
    """Opens the market with the wallet of a key file connected."""
    give_wallet(visit.context, Keypair.from_json(file.read_text()))
    visit.page.goto(visit.url)
    connect(visit)


def connect_burner(visit: Visit) -> None:
    """Has the page make a test wallet, which gets test tokens."""
    open_wallets(visit)
    visit.page.get_by_role("button", name="Use a test wallet of this browser").click()
    expect(visit.page.get_by_role("dialog")).to_have_count(0)


def sign(visit: Visit) -> None:
    """Signs what is shown, and waits until it has landed."""
    visit.page.get_by_role("button", name=SIGN).click()
    expect(visit.page.get_by_role("dialog")).to_have_count(0)
