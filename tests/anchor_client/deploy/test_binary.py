"""The committed build, moved to other addresses."""

from __future__ import annotations

from pathlib import Path

import pytest
from solders.keypair import Keypair

from anchor_client.deploy.binary import Binary, constants, fits, make_key
from anchor_client.deploy.errors import BadProgramFile
from anchor_client.generated.program import PROGRAM_ID
from local_market.program import PROGRAM_PATH


def unfit() -> Keypair:
    """A key whose derived addresses have other bumps."""
    while fits((key := Keypair()).pubkey(), PROGRAM_ID):
        pass
    return key


def test_at__another_address__replaces_it_everywhere_and_back() -> None:
    committed = Binary.read(PROGRAM_PATH, PROGRAM_ID)
    program = make_key(PROGRAM_ID).pubkey()
    moved = committed.at(program)
    assert bytes(program) in moved.code and bytes(PROGRAM_ID) not in moved.code
    assert len(moved.code) == len(committed.code)
    assert not any(bytes(address)[:4] in moved.code for address in constants(PROGRAM_ID))
    assert moved.at(PROGRAM_ID) == committed


def test_at__address_with_other_bumps__is_refused() -> None:
    with pytest.raises(BadProgramFile, match="bumps"):
        Binary.read(PROGRAM_PATH, PROGRAM_ID).at(unfit().pubkey())


def test_read__build_for_another_address__is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadProgramFile, match="not built for"):
        Binary.read(PROGRAM_PATH, Keypair().pubkey())
    text = tmp_path / "text.so"
    text.write_text("no program")
    with pytest.raises(BadProgramFile, match="ELF"):
        Binary.read(text, PROGRAM_ID)
