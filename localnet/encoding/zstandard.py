"""Zstandard frames (RFC 8878) of raw and run-length blocks: what base64+zstd readers accept, without a codec."""

import re

MAGIC = bytes.fromhex("28b52ffd")
SINGLE_SEGMENT_8_BYTE_SIZE = 0b1110_0000
BLOCK_SIZE = 128 * 1024
RAW = 0
RUN = 1
RUNS = re.compile(rb"(.)\1{63,}", re.DOTALL)

Block = tuple[int, int, bytes]


def compress(data: bytes) -> bytes:
    """A frame that decodes to `data`; long runs of one byte take four bytes each."""
    blocks = _blocks(data) or [(RAW, 0, b"")]
    frame = [MAGIC, bytes([SINGLE_SEGMENT_8_BYTE_SIZE]), len(data).to_bytes(8, "little")]
    for number, (kind, size, content) in enumerate(blocks):
        header = size << 3 | kind << 1 | (number == len(blocks) - 1)
        frame += [header.to_bytes(3, "little"), content]
    return b"".join(frame)


def _blocks(data: bytes) -> list[Block]:
    blocks: list[Block] = []
    position = 0
    for run in RUNS.finditer(data):
        blocks += _raw(data[position : run.start()])
        length = run.end() - run.start()
        blocks += [(RUN, min(BLOCK_SIZE, length - offset), run[1]) for offset in range(0, length, BLOCK_SIZE)]
        position = run.end()
    return blocks + _raw(data[position:])


def _raw(data: bytes) -> list[Block]:
    pieces = [data[offset : offset + BLOCK_SIZE] for offset in range(0, len(data), BLOCK_SIZE)]
    return [(RAW, len(piece), piece) for piece in pieces]
