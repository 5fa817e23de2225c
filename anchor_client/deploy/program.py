"""Deploys, upgrades, verifies and closes programs under the upgradeable loader."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass

from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.system_program import CreateAccountParams, create_account

from anchor_client.deploy.binary import Binary
from anchor_client.deploy.errors import NotTheAuthority, ProgramDiffers, ProgramUnknown
from anchor_client.deploy.targets import CodeBuffer
from anchor_client.deploy.upload import Progress, Upload
from anchor_client.errors import GpuMarketError
from anchor_client.solana import loader
from anchor_client.solana.transactions import Sent, TransactionSender


@dataclass(frozen=True, slots=True)
class Deployed:
    """Code at a program's address on a cluster, and whether it matches the code that it was compared with."""

    program: Pubkey
    slot: int
    authority: Pubkey | None
    room: int
    sha256: str
    """Of the code without the zeros behind it, as long as the code that it was compared with."""
    matches: bool


class ProgramKeeper:
    """Acts on programs with one key, which pays and has the authority. Methods raise what sending raises."""

    def __init__(self, sender: TransactionSender, authority: Keypair) -> None:
        self._sender = sender
        self._authority = authority

    async def find(self, program: Pubkey) -> loader.ProgramData | None:
        """The code of a program; None if there is none."""
        return await find_program(self._sender, program)

    async def deploy(
        self,
        binary: Binary,
        key: Keypair,
        buffer: Keypair,
        progress: Progress,
        *,
        room: int = 0,
        heir: Pubkey | None = None,
    ) -> Sent | None:
        """Deploys a program at its key's address, with `room` bytes more than its code, unless it is there.

        Then it must be the same code. `heir` becomes its upgrade authority in the same transaction.

        ProgramDiffers, and what Upload raises.
        """
        found = await self.find(key.pubkey())
        if found is not None:
            if not found.holds(binary.code):
                raise ProgramDiffers(f"The cluster has different code at {key.pubkey()}")
            return None
        await self._upload(buffer, binary, progress)
        client = self._sender.client
        payer = self._authority.pubkey()
        rent = await client.get_minimum_balance_for_rent_exemption(loader.PROGRAM_BYTES)
        account = CreateAccountParams(
            from_pubkey=payer, to_pubkey=key.pubkey(), lamports=rent, space=loader.PROGRAM_BYTES, owner=loader.LOADER_V3
        )
        deploy = loader.deploy(key.pubkey(), buffer.pubkey(), payer, payer, len(binary.code) + room)
        if heir is None:
            give = []
        else:
            give = [loader.set_upgrade_authority(key.pubkey(), payer, heir)]
        sent = await self._sender.send([create_account(account), deploy, *give], payer=self._authority, signers=[key])
        await self._await_slot_after(sent.slot)
        return sent

    async def upgrade(self, binary: Binary, buffer: Keypair, progress: Progress) -> Sent | None:
        """Replaces a program's code, unless it is the same; makes room where the new one is longer. Authority.

        ProgramUnknown, NotTheAuthority, and what Upload raises.
        """
        program = binary.program
        payer = self._authority.pubkey()
        found = await self.require(program)
        if found.holds(binary.code):
            return None
        if found.authority != payer:
            raise NotTheAuthority(f"{found.authority or 'Nobody'} may upgrade {program}, not {payer}")
        await self._upload(buffer, binary, progress)
        await self.make_room(found, binary)
        act = loader.upgrade(program, buffer.pubkey(), payer, payer)
        sent = await self._sender.send([act], payer=self._authority)
        await self._await_slot_after(sent.slot)
        return sent

    async def make_room(self, found: loader.ProgramData, binary: Binary) -> None:
        """Makes a program's account long enough for new code. Refused by clusters that ask for another's signature."""
        lacking = len(binary.code) - len(found.code)
        if lacking > 0:
            extended = await self._extend(binary.program, max(lacking, loader.MIN_EXTENSION))
            await self._await_slot_after(extended.slot)

    async def write_buffer(self, binary: Binary, buffer: Keypair, authority: Pubkey, progress: Progress) -> Sent | None:
        """Writes code that another `authority` is to deploy, governance or a wallet elsewhere: the buffer ends up with
        it and cannot be changed then."""
        [account] = await self._sender.client.get_multiple_accounts([buffer.pubkey()])
        there = loader.Buffer.read(account)
        if there is not None and there.authority == authority and there.code == binary.code:
            return None
        await self._upload(buffer, binary, progress)
        give = loader.set_buffer_authority(buffer.pubkey(), self._authority.pubkey(), authority)
        return await self._sender.send([give], payer=self._authority)

    async def close_program(self, program: Pubkey) -> Sent:
        """Ends a program for ever. ProgramUnknown, NotTheAuthority."""
        found = await self.require(program)
        payer = self._authority.pubkey()
        if found.authority != payer:
            raise NotTheAuthority(f"{found.authority or 'Nobody'} may close {program}, not {payer}")
        return await self._sender.send([loader.close_program(program, payer, payer)], payer=self._authority)

    async def close_buffer(self, buffer: Pubkey) -> Sent:
        """Gives a buffer's lamports back. ProgramUnknown, NotTheAuthority."""
        [account] = await self._sender.client.get_multiple_accounts([buffer])
        found = loader.Buffer.read(account)
        payer = self._authority.pubkey()
        if found is None:
            raise ProgramUnknown(f"There is neither a program nor a buffer at {buffer}")
        if found.authority != payer:
            raise NotTheAuthority(f"{found.authority or 'Nobody'} may close {buffer}, not {payer}")
        return await self._sender.send([loader.close_buffer(buffer, payer, payer)], payer=self._authority)

    async def require(self, program: Pubkey) -> loader.ProgramData:
        """The code of a program. ProgramUnknown."""
        found = await self.find(program)
        if found is None:
            raise ProgramUnknown(f"There is no upgradeable program at {program}")
        return found

    async def _upload(self, buffer: Keypair, binary: Binary, progress: Progress) -> None:
        target = CodeBuffer(buffer, self._authority.pubkey())
        await Upload(self._sender, self._authority, target, binary.code).run(progress)

    async def _extend(self, program: Pubkey, more: int) -> Sent:
        """Clusters differ in whether the loader asks for the authority's signature."""
        payer = self._authority.pubkey()
        checked = loader.extend_checked(program, payer, payer, more)
        try:
            return await self._sender.send([checked], payer=self._authority)
        except GpuMarketError:
            return await self._sender.send([loader.extend(program, payer, more)], payer=self._authority)

    async def _await_slot_after(self, slot: int) -> None:
        """A program can be called from the slot after the one that has deployed it."""
        client = self._sender.client
        timing = self._sender.timing
        while (await client.get_slot()) <= slot:  # noqa: ASYNC110 - the node is elsewhere
            await asyncio.sleep(timing.poll)


async def find_program(sender: TransactionSender, program: Pubkey) -> loader.ProgramData | None:
    """The code of a program; None if there is none."""
    [account] = await sender.client.get_multiple_accounts([loader.program_data(program)])
    return loader.ProgramData.read(account)


def compare(program: Pubkey, found: loader.ProgramData, code: bytes) -> Deployed:
    """Compares the code at a program's address on a cluster with the code that it should have."""
    there = found.code[: len(code)] if found.holds(code) else found.code.rstrip(b"\0")
    return Deployed(
        program=program,
        slot=found.slot,
        authority=found.authority,
        room=len(found.code),
        sha256=hashlib.sha256(there).hexdigest(),
        matches=found.holds(code),
    )
