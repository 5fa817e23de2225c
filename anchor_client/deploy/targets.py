"""Targets of an upload: a buffer of the loader, or a draft of a program's metadata."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from solders.account import Account
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.system_program import CreateAccountParams, TransferParams, create_account, transfer

from anchor_client.deploy.errors import NotTheAuthority
from anchor_client.solana import program_metadata as metadata
from anchor_client.solana.loader import BUFFER_HEADER, LOADER_V3, Buffer, initialize_buffer, write


class UploadTarget(Protocol):
    """A buffer that bytes are put into."""

    @property
    def address(self) -> Pubkey:
        """Address of the buffer."""

    @property
    def signers(self) -> Sequence[Keypair]:
        """Signers other than the payer when it is created."""

    @property
    def header(self) -> int:
        """Bytes before the content."""

    def held(self, account: Account | None) -> bytes | None:
        """Content that it holds; None where it does not exist yet. NotTheAuthority where it belongs to another key."""

    def opening(self, rent: int, size: int) -> Sequence[Instruction]:
        """Instructions that create it, with room for `size` bytes and `rent` lamports, which the payer pays."""

    def write(self, offset: int, part: bytes) -> Instruction:
        """Instruction that writes a part at an offset."""


@dataclass(frozen=True, slots=True)
class _OfKey:
    """An account at a key's address, whose authority pays for it."""

    key: Keypair
    authority: Pubkey

    @property
    def address(self) -> Pubkey:
        """Address of the key."""
        return self.key.pubkey()

    @property
    def signers(self) -> Sequence[Keypair]:
        """Its key."""
        return (self.key,)


@dataclass(frozen=True, slots=True)
class CodeBuffer(_OfKey):
    """A buffer of the upgradeable loader."""

    header: int = BUFFER_HEADER

    def held(self, account: Account | None) -> bytes | None:
        """The code in it. NotTheAuthority."""
        found = Buffer.read(account)
        if found is not None and found.authority != self.authority:
            raise NotTheAuthority(f"The buffer {self.address} belongs to {found.authority}, not to {self.authority}")
        return None if found is None else found.code

    def opening(self, rent: int, size: int) -> Sequence[Instruction]:
        """Makes the account, and a buffer of it."""
        make = CreateAccountParams(
            from_pubkey=self.authority,
            to_pubkey=self.address,
            lamports=rent,
            space=BUFFER_HEADER + size,
            owner=LOADER_V3,
        )
        return [create_account(make), initialize_buffer(self.address, self.authority)]

    def write(self, offset: int, part: bytes) -> Instruction:
        """Writes a part of the code."""
        return write(self.address, self.authority, offset, part)


@dataclass(frozen=True, slots=True)
class MetadataInPlace:
    """The address of a program's metadata, before there is any. The program's upgrade authority pays."""

    program: Pubkey
    authority: Pubkey
    seed: str
    header: int = metadata.HEADER_BYTES

    @property
    def address(self) -> Pubkey:
        """Address of the metadata."""
        return metadata.metadata_address(self.program, self.seed)

    @property
    def signers(self) -> Sequence[Keypair]:
        """Nobody else."""
        return ()

    def held(self, account: Account | None) -> bytes | None:
        """The draft's content."""
        found = metadata.Draft.read(account)
        return None if found is None else found.content

    def opening(self, rent: int, size: int) -> Sequence[Instruction]:
        """Funds the address and makes it a draft."""
        return [
            transfer(TransferParams(from_pubkey=self.authority, to_pubkey=self.address, lamports=rent)),
            metadata.allocate(self.program, self.authority, self.seed),
            *grown(self.address, self.authority, size, self.program),
        ]

    def write(self, offset: int, part: bytes) -> Instruction:
        """Writes a part of it."""
        return metadata.write(self.address, self.authority, offset, part)


@dataclass(frozen=True, slots=True)
class MetadataApart(_OfKey):
    """A draft at a key's address, to replace metadata at once."""

    header: int = metadata.HEADER_BYTES

    def held(self, account: Account | None) -> bytes | None:
        """The draft's content. NotTheAuthority."""
        found = metadata.Draft.read(account)
        if found is not None and found.authority != self.authority:
            raise NotTheAuthority(f"The draft {self.address} belongs to {found.authority}, not to {self.authority}")
        return None if found is None else found.content

    def opening(self, rent: int, size: int) -> Sequence[Instruction]:
        """Funds the address, makes it a draft, and gives it to the authority."""
        return [
            transfer(TransferParams(from_pubkey=self.authority, to_pubkey=self.address, lamports=rent)),
            metadata.allocate_apart(self.address),
            metadata.set_authority(self.address, self.address, self.authority),
            *grown(self.address, self.authority, size),
        ]

    def write(self, offset: int, part: bytes) -> Instruction:
        """Writes a part of it."""
        return metadata.write(self.address, self.authority, offset, part)


def grown(account: Pubkey, authority: Pubkey, more: int, program: Pubkey | None = None) -> Iterator[Instruction]:
    """Instructions that make a draft or metadata `more` bytes longer."""
    for start in range(0, more, metadata.MAX_GROWTH):
        yield metadata.extend(account, authority, min(metadata.MAX_GROWTH, more - start), program)
