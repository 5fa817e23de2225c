"""The program's code, and the address that it is for.

The code holds its own address and the addresses that follow from it as constants: the program-derived ones without
variable seeds, and their bumps. For another address whose bumps are the same, the code is the same but for those
addresses. So the committed build can be made one for any such address without a compiler, and what comes out is what
building the sources with that address in `declare_id!` gives.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.deploy.errors import BadProgramFile

SEEDS: Final = (b"market", b"pool", b"catalog", b"governance", b"__event_authority")
"""Of the addresses that the compiler works out."""
_ELF: Final = b"\x7fELF"
_WORD: Final = 4
"""Bytes of an address that one instruction holds."""


@dataclass(frozen=True, slots=True)
class Binary:
    """The code of a program that is for the address `program`."""

    code: bytes
    program: Pubkey

    @property
    def sha256(self) -> str:
        """The hash of the code, hex."""
        return hashlib.sha256(self.code).hexdigest()

    @classmethod
    def read(cls, path: Path, *candidates: Pubkey) -> Binary:
        """The program in a file, which is for one of `candidates`. BadProgramFile."""
        try:
            code = path.read_bytes()
        except OSError as error:
            raise BadProgramFile(f"{path} cannot be read: {error.strerror}") from error
        if not code.startswith(_ELF):
            raise BadProgramFile(f"{path} is not an ELF file")
        for program in candidates:
            if bytes(program) in code:
                return cls(code, program)
        told = " or ".join(map(str, candidates))
        raise BadProgramFile(
            f"{path} is not built for {told}", "Build it with that address in `declare_id!`, or name its key file."
        )

    def at(self, program: Pubkey) -> Binary:
        """The same program for another address. BadProgramFile where the bumps of the two differ."""
        if program == self.program:
            return self
        if not fits(program, self.program):
            raise BadProgramFile(
                f"The build for {self.program} cannot be used at {program}, whose derived addresses have other bumps",
                "Let `gpu-market deploy` make the program's key, or build the sources with that address.",
            )
        moved = Binary(_replaced(self.code, self.program, program), program)
        if _replaced(moved.code, program, self.program) != self.code:
            raise BadProgramFile(
                f"The build cannot be moved to {program} and back", "Make another key for the program."
            )
        return moved


def constants(program: Pubkey) -> list[Pubkey]:
    """The addresses that a program's code holds because they follow from its own."""
    return [program, *(Pubkey.find_program_address([seed], program)[0] for seed in SEEDS)]


def fits(program: Pubkey, other: Pubkey) -> bool:
    """True where code for one address can be changed into code for the other."""
    return all(_bump(seed, program) == _bump(seed, other) for seed in SEEDS)


def make_key(like: Pubkey) -> Keypair:
    """A new key whose address takes the code of another; one of a thousand or so does."""
    while not fits((found := Keypair()).pubkey(), like):
        pass
    return found


def _replaced(code: bytes, old: Pubkey, new: Pubkey) -> bytes:
    for there, here in zip(constants(old), constants(new), strict=True):
        if len({code.count(word) for word in _words(there)}) != 1:
            raise BadProgramFile(f"The build holds {there} only in part, so it cannot be moved to {new}")
        for word, other in zip(_words(there), _words(here), strict=True):
            code = code.replace(word, other)
    return code


def _bump(seed: bytes, program: Pubkey) -> int:
    return Pubkey.find_program_address([seed], program)[1]


def _words(address: Pubkey) -> list[bytes]:
    raw = bytes(address)
    return [raw[start : start + _WORD] for start in range(0, len(raw), _WORD)]
