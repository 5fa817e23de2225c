"""The keys of a local market, created on first start in a directory only its owner can read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

from solders.keypair import Keypair

from anchor_client.rules.catalog import REGIONS
from anchor_client.sealing import KEY_BYTES, SealKey
from anchor_client.solana.wallet import Wallet

KEY_DIRECTORY_MODE = 0o700


@dataclass(frozen=True, slots=True)
class HostKeys:
    """A host's wallet, and the X25519 key that orders are sealed to."""

    wallet: Keypair
    seal: SealKey


@dataclass(frozen=True, slots=True)
class MarketKeyring:
    """All wallets of a local market; `hosts` by region slug."""

    authority: Keypair
    """Upgrades the program, runs the market, and issues its tokens."""
    guardian: Keypair
    treasury: Keypair
    oracle: Keypair
    keeper: Keypair
    renter: Keypair
    market_mint: Keypair
    usdc_mint: Keypair
    hosts: dict[str, HostKeys]

    @classmethod
    def generate(cls) -> MarketKeyring:
        """New keys, not saved."""
        return _collect(lambda name: Keypair())

    @classmethod
    def from_seed(cls, seed: str) -> MarketKeyring:
        """Deterministic keys, for tests only."""
        return _collect(lambda name: Keypair.from_seed(hashlib.sha256(f"{seed}/{name}".encode()).digest()))

    @classmethod
    def load_or_create(cls, directory: Path) -> MarketKeyring:
        """Loads a directory of Solana key files, creating those that are missing.

        Raises BadKeyFile naming a file that holds no key or cannot be written, and OSError.
        """
        directory.mkdir(mode=KEY_DIRECTORY_MODE, parents=True, exist_ok=True)
        return _collect(lambda name: _load_or_create(key_path(directory, name)))


def key_path(directory: Path, name: str) -> Path:
    """The file of the key called `name`."""
    return directory / f"{name}.json"


def load_or_create_host(directory: Path, name: str) -> HostKeys:
    """The keys of a host whose wallet's file is called `name`. BadKeyFile, OSError."""
    return _host_keys(_load_or_create(key_path(directory, name)))


def _collect(key_of: Callable[[str], Keypair]) -> MarketKeyring:
    single = {
        field.name: key_of(field.name.replace("_", "-")) for field in fields(MarketKeyring) if field.name != "hosts"
    }
    hosts = {region.slug: _host_keys(key_of(f"host-{region.slug}")) for region in REGIONS}
    return MarketKeyring(**single, hosts=hosts)


def _host_keys(wallet: Keypair) -> HostKeys:
    seal = hashlib.blake2b(wallet.secret(), digest_size=KEY_BYTES, person=b"seal-key").digest()
    return HostKeys(wallet, SealKey.from_bytes(seal))


def _load_or_create(path: Path) -> Keypair:
    wallet = Wallet.from_file(path) if path.exists() else Wallet.generate(path)
    return wallet.keypair
