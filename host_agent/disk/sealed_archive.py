"""Archives that their writer cannot read: sealed to a public key, in chunks that detect changes, omissions and moves
(libsodium's secretstream).

A file is MAGIC, the stream's key sealed to the public key, the stream's header, and pieces of PIECE bytes, each longer
by a tag; only the last one is shorter, and is marked as the last.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO, Final

from nacl import bindings as sodium
from nacl.exceptions import CryptoError

from anchor_client.errors import OrderNotSealed
from anchor_client.sealing import SEAL_OVERHEAD, SealKey, seal, unseal
from host_agent.errors import ArchiveDamaged

MAGIC: Final = b"gpu-market workspace 1\n"
PIECE: Final = 2**20
_TAG_BYTES: Final = sodium.crypto_secretstream_xchacha20poly1305_ABYTES
_HEADER_BYTES: Final = sodium.crypto_secretstream_xchacha20poly1305_HEADERBYTES
_KEY_BYTES: Final = sodium.crypto_secretstream_xchacha20poly1305_KEYBYTES
_MORE: Final = sodium.crypto_secretstream_xchacha20poly1305_TAG_MESSAGE
_LAST: Final = sodium.crypto_secretstream_xchacha20poly1305_TAG_FINAL


async def seal_archive(file: BinaryIO, data: AsyncIterator[bytes], public_key: bytes) -> None:
    """Writes a stream, sealed to an X25519 public key. OSError if the disk fails."""
    state = sodium.crypto_secretstream_xchacha20poly1305_state()
    key = sodium.crypto_secretstream_xchacha20poly1305_keygen()
    header = sodium.crypto_secretstream_xchacha20poly1305_init_push(state, key)
    file.write(MAGIC + seal(key, public_key) + header)

    def push(piece: bytes, tag: int) -> None:
        file.write(sodium.crypto_secretstream_xchacha20poly1305_push(state, piece, tag=tag))

    rest = bytearray()
    async for came in data:
        rest += came
        while len(rest) >= PIECE:
            piece = bytes(rest[:PIECE])
            del rest[:PIECE]
            await asyncio.to_thread(push, piece, _MORE)
    await asyncio.to_thread(push, bytes(rest), _LAST)


async def open_archive(path: Path, key: SealKey) -> AsyncIterator[bytes]:
    """Yields the sealed content. ArchiveDamaged for anything else, possibly after a part of it has been yielded."""
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise ArchiveDamaged(f"{path} is not a sealed workspace")
        state = sodium.crypto_secretstream_xchacha20poly1305_state()
        try:
            stream_key = unseal(file.read(_KEY_BYTES + SEAL_OVERHEAD), key)
            sodium.crypto_secretstream_xchacha20poly1305_init_pull(state, file.read(_HEADER_BYTES), stream_key)
        except (OrderNotSealed, CryptoError) as error:
            raise ArchiveDamaged(f"{path} was sealed to another key, or has been changed") from error

        def pull() -> tuple[bytes, int]:
            piece: tuple[bytes, int] = sodium.crypto_secretstream_xchacha20poly1305_pull(
                state, file.read(PIECE + _TAG_BYTES)
            )
            return piece

        tag = _MORE
        while tag != _LAST:
            try:
                piece, tag = await asyncio.to_thread(pull)
            except CryptoError as error:
                raise ArchiveDamaged(f"{path} has been changed or cut off") from error
            yield piece
        if file.read(1):
            raise ArchiveDamaged(f"{path} has data after its end")
