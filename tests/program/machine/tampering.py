"""Ways to tamper with an instruction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from random import Random

from hypothesis import strategies as st
from solders.account import Account
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM

from anchor_client.generated.instructions import INSTRUCTIONS
from anchor_idl.runtime.instructions import InstructionSpec

from ..harness.actors import AUTHORITY, ORACLE
from ..harness.tokens import token_account, token_address

TRUSTED = frozenset({AUTHORITY, ORACLE})
"""Signers whose wishes are no attack: their instructions keep their arguments."""
TAG = 8
"""Bytes of an instruction's discriminator."""

AccountOf = Callable[[Pubkey], Account | None]


class Kind(Enum):
    """A way to tamper with an instruction."""

    THEFT = "the adversary's own in place of another's"
    IMPOSTOR = "another wallet signs"
    STRANGE_ACCOUNT = "any other account"
    SAME_KIND = "another account of the same kind"
    TWICE = "an account in a second place"
    SWAP = "two accounts change places"
    ROTATE = "the accounts that follow the named ones in another order"
    CROSS = "some accounts of another such instruction"
    UNSIGNED = "a signer who does not sign"
    READ_ONLY = "an account that is not to be written"
    ANOTHER_CALL = "another instruction with these accounts"
    AMOUNT = "another figure among the arguments"
    AS_IT_WAS = "repeated"


KINDS = [*[Kind.THEFT] * 4, *[Kind.SAME_KIND] * 4, *[Kind.IMPOSTOR] * 3, *[Kind.CROSS] * 2, *Kind]
"""Those that may gain something are tried more often."""


@dataclass(frozen=True, slots=True)
class Tampering:
    """One thing done to an instruction; `place` and `choice` are taken modulo what there is."""

    kind: Kind
    place: int
    choice: int


plans = st.lists(
    st.builds(Tampering, st.sampled_from(KINDS), st.integers(0, 255), st.integers(0, 2**16 - 1)), min_size=1, max_size=3
)
"""Changes that make up one tampering with an instruction."""


def some_plan(dice: Random) -> list[Tampering]:
    """One of the plans, by other dice: there are too many to be drawn with the rules."""
    length = dice.choice([1, 1, 1, 2, 3])
    return [Tampering(dice.choice(KINDS), dice.randrange(256), dice.randrange(2**16)) for _ in range(length)]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Replacements at an adversary's disposal: wallets, of which the first is their own, and addresses and
    instructions that they have seen."""

    wallets: Sequence[Pubkey]
    addresses: Sequence[Pubkey]
    seen: Sequence[Instruction]
    account_of: AccountOf

    def tamper(self, instruction: Instruction, plan: Sequence[Tampering]) -> Instruction:
        """The instruction with all that is done to it, which may be nothing."""
        for each in plan:
            instruction = self._tamper_once(instruction, each)
        return instruction

    def _tamper_once(self, act: Instruction, tampering: Tampering) -> Instruction:
        metas, place = list(act.accounts), tampering.place % len(act.accounts)
        match tampering.kind:
            case Kind.THEFT:
                aims = [(index, own) for index, meta in enumerate(metas) if (own := self._own(meta.pubkey)) is not None]
                if aims:
                    place, own = aims[place % len(aims)]
                    metas[place] = self._with(metas[place], own)
            case Kind.IMPOSTOR:
                signing = [index for index, meta in enumerate(metas) if meta.is_signer]
                if signing:
                    place = signing[place % len(signing)]
                    metas[place] = self._with(metas[place], self.wallets[tampering.choice % len(self.wallets)])
            case Kind.STRANGE_ACCOUNT:
                metas[place] = self._with(metas[place], self.addresses[tampering.choice % len(self.addresses)])
            case Kind.SAME_KIND:
                alike = self._alike(metas[place].pubkey)
                metas[place] = self._with(metas[place], alike[tampering.choice % len(alike)])
            case Kind.TWICE:
                metas[place] = self._with(metas[place], metas[tampering.choice % len(metas)].pubkey)
            case Kind.SWAP:
                there = tampering.choice % len(metas)
                one, two = metas[place].pubkey, metas[there].pubkey
                metas[place], metas[there] = self._with(metas[place], two), self._with(metas[there], one)
            case Kind.ROTATE:
                named = len(spec_of(act).accounts)
                rest = metas[named:]
                turn = tampering.choice % max(1, len(rest))
                metas[named:] = rest[turn:] + rest[:turn]
            case Kind.CROSS:
                like = [other for other in self.seen if other.data[:TAG] == act.data[:TAG]]
                other = like[place % len(like)] if like else act
                pairs = zip(metas, other.accounts, strict=False)
                metas = [b if tampering.choice >> index & 1 else a for index, (a, b) in enumerate(pairs)]
            case Kind.UNSIGNED:
                metas[place] = AccountMeta(metas[place].pubkey, is_signer=False, is_writable=metas[place].is_writable)
            case Kind.READ_ONLY:
                metas[place] = AccountMeta(metas[place].pubkey, is_signer=metas[place].is_signer, is_writable=False)
            case Kind.ANOTHER_CALL:
                tags = list(INSTRUCTIONS)
                data = tags[tampering.choice % len(tags)] + bytes(act.data[TAG:])
                return act if _is_trusted(metas) else Instruction(act.program_id, data, metas)
            case Kind.AMOUNT:
                data = bytes(act.data) if _is_trusted(metas) else _another_figure(bytes(act.data), tampering)
                return Instruction(act.program_id, data, metas)
            case Kind.AS_IT_WAS:
                return act
        return Instruction(act.program_id, bytes(act.data), metas)

    def _with(self, meta: AccountMeta, key: Pubkey) -> AccountMeta:
        """The meta with another address; a signer's stays if that is no wallet."""
        if meta.is_signer and key not in self.wallets:
            return meta
        return AccountMeta(key, meta.is_signer, meta.is_writable)

    def _own(self, key: Pubkey) -> Pubkey | None:
        """The adversary's own account of the same kind: a token account of that mint, or their wallet."""
        account, wallet = self.account_of(key), self.wallets[0]
        held = token_account(account)
        if held is not None:
            return None if held.owner == wallet else token_address(wallet, held.mint)
        is_wallet = account is not None and account.owner == SYSTEM_PROGRAM and key != wallet
        return wallet if is_wallet else None

    def _alike(self, key: Pubkey) -> list[Pubkey]:
        """Addresses of accounts with the same owner and length; of what is not there, those that are not either."""
        kind = _kind(self.account_of(key))
        return [other for other in self.addresses if _kind(self.account_of(other)) == kind] or [key]


def spec_of(instruction: Instruction) -> InstructionSpec:
    """The IDL's specification of the instruction that is called."""
    return INSTRUCTIONS[bytes(instruction.data[:TAG])]


def _another_figure(data: bytes, tampering: Tampering) -> bytes:
    """Eight bytes or fewer of the arguments, as a number somewhere else."""
    if len(data) <= TAG:
        return data
    start = TAG + tampering.place % (len(data) - TAG)
    size = min(8, len(data) - start)
    number = int.from_bytes(data[start : start + size], "little")
    top = (1 << 8 * size) - 1
    figures = (0, top, number + 1, number - 1, number * 2, number // 2, tampering.choice)
    changed = figures[tampering.choice % len(figures)] & top
    return data[:start] + changed.to_bytes(size, "little") + data[start + size :]


def _is_trusted(metas: Sequence[AccountMeta]) -> bool:
    return any(meta.is_signer and meta.pubkey in TRUSTED for meta in metas)


def _kind(account: Account | None) -> tuple[Pubkey, int] | None:
    return None if account is None else (account.owner, len(account.data))
