"""Start of every attack: an instruction that works, and the program's accounts in it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from solders.account import Account
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import ACCOUNTS
from anchor_client.generated.errors import ProgramError
from anchor_client.generated.program import PROGRAM_ID

from ..harness.outcome import Outcome, Refused
from ..harness.scenarios import IDL, SCENARIOS, accounts_of
from ..harness.world import World
from .choices import NAMED_ALONE

INSTRUCTIONS: list[str] = [each["name"] for each in IDL["instructions"]]


def works(world: World, *instructions: Instruction) -> bool:
    """True where the transaction goes through."""
    try:
        world.act(*instructions)
    except (ProgramError, Refused):
        return False
    return True


@cache
def outcome_of(name: str) -> Outcome:
    """Outcome of the instruction in its scenario."""
    world, instruction = SCENARIOS[name]()
    return world.act(instruction)


def is_state(account: Account | None) -> bool:
    """True where an account holds state that the program wrote."""
    return account is not None and account.owner == PROGRAM_ID and bytes(account.data[:8]) in ACCOUNTS


def created_by(name: str) -> list[Pubkey]:
    """Addresses of the program's accounts that the instruction creates."""
    outcome = outcome_of(name)
    return [key for key, after in outcome.after.items() if is_state(after) and not is_state(outcome.before[key])]


def closed_by(name: str) -> list[Pubkey]:
    """Addresses of the program's accounts that the instruction closes."""
    outcome = outcome_of(name)
    return [key for key, before in outcome.before.items() if is_state(before) and not is_state(outcome.after[key])]


CREATING = [name for name in INSTRUCTIONS if created_by(name)]
CLOSING = [name for name in INSTRUCTIONS if closed_by(name)]


def named_state(world: World, name: str, instruction: Instruction) -> Iterator[tuple[str, int, Pubkey, Account]]:
    """The program's accounts that the instruction takes by name and reads: name, position, address and state."""
    for index, account in enumerate(accounts_of(name)):
        key = instruction.accounts[index].pubkey
        state = world.cluster.account(key)
        if state is not None and is_state(state) and (name, account["name"]) not in NAMED_ALONE:
            yield account["name"], index, key, state
