"""The keys of a market file, made (mode 0600) where they are missing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.deploy.binary import make_key
from anchor_client.deploy.document import KeysSection, MarketFile
from anchor_client.errors import BadAddress
from anchor_client.service.home import expanded
from anchor_client.solana.wallet import Wallet, parse_address

BUFFER: str = "buffer.json"


@dataclass(frozen=True, slots=True)
class MarketKeys:
    """Keys and addresses of a market; `oracle_key` is None if the file names only an address."""

    authority: Pubkey
    payer: Keypair
    """Pays for the upload and what needs no authority: the authority's own key, where there is a file of it."""
    program: Keypair
    buffer: Keypair
    """Of the account in which code is on its way to the program."""
    guardian: Pubkey
    treasury: Pubkey
    oracle: Pubkey
    oracle_key: Keypair | None
    mints: dict[str, Keypair]
    """Key files of mints to create, by symbol."""
    made: tuple[Path, ...]
    """Files that were missing."""

    @property
    def elsewhere(self) -> Pubkey | None:
        """The authority, where it signs elsewhere."""
        return None if self.payer.pubkey() == self.authority else self.authority


class _Shelf:
    """Key files in a directory."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.made: list[Path] = []

    def path(self, name: str) -> Path:
        """Path of a named file."""
        return self._root / expanded(name)

    def key(self, name: str, like: Pubkey | None = None) -> Keypair:
        """The key in a file; a new one, whose address takes the code of `like`, where there is none. BadKeyFile."""
        path = self.path(name)
        if path.exists():
            return Wallet.from_file(path).keypair
        wallet = Wallet(Keypair() if like is None else make_key(like))
        wallet.save(path)
        self.made.append(path)
        return wallet.keypair

    def address(self, text: str) -> tuple[Pubkey, Keypair | None]:
        """An address, or that of a key file, with its key. BadKeyFile."""
        try:
            return parse_address(text), None
        except BadAddress:
            key = self.key(text)
            return key.pubkey(), key


def load_keys(file: MarketFile, root: Path, like: Pubkey, authority: Wallet | None = None) -> MarketKeys:
    """The keys of a market file in the directory `root`; the program's takes the code that is for `like`.

    `authority`, where given, stands in for the file's own. BadKeyFile.
    """
    shelf = _Shelf(root)
    keys = file.keys
    oracle, oracle_key = shelf.address(keys.oracle)
    own, key = shelf.address(keys.authority) if authority is None else (authority.pubkey, authority.keypair)
    return MarketKeys(
        authority=own,
        payer=shelf.key(keys.payer) if key is None else key,
        program=shelf.key(keys.program, like),
        buffer=shelf.key(str(Path(keys.program).parent / BUFFER)),
        guardian=shelf.address(keys.guardian)[0],
        treasury=shelf.address(keys.treasury)[0],
        oracle=oracle,
        oracle_key=oracle_key,
        mints={mint.symbol: shelf.key(_mint_file(keys, mint.symbol)) for mint in file.mints if mint.is_new},
        made=tuple(shelf.made),
    )


def _mint_file(keys: KeysSection, symbol: str) -> str:
    return str(Path(keys.program).parent / f"mint-{symbol.lower()}.json")
