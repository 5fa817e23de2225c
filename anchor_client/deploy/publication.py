"""Publishes documents of a program through the Program Metadata program, only where they differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from solders.account import Account
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer

from anchor_client.deploy.errors import MetadataFinal, MetadataProgramMissing, NotTheAuthority, ProgramUnknown
from anchor_client.deploy.program import find_program
from anchor_client.deploy.published import Document
from anchor_client.deploy.targets import MetadataApart, MetadataInPlace, grown
from anchor_client.deploy.upload import ABOUT_PART_BYTES, Progress, Upload
from anchor_client.solana import program_metadata as metadata
from anchor_client.solana.transactions import TransactionSender

ACTS: Final = 4
"""Transactions around an upload, at most."""

DraftKey = Callable[[str], Keypair]
"""The key of the draft that replaces a seed's publication; the same each time, so that an upload resumes."""


@dataclass(frozen=True, slots=True)
class Publishing:
    """One document to publish. `rent` is what its account will cost more, negative where it gets shorter."""

    document: Document
    data: bytes
    replaces: bool
    has_content: bool
    """True where the content itself is to be sent; False where only the right to change it is set."""
    rent: int
    fees: int

    @property
    def text(self) -> str:
        """Description of the action."""
        act = "replace" if self.replaces else "publish"
        kept = f"{len(self.document.content):,} bytes, {len(self.data):,} compressed"
        if self.has_content:
            return f"{act} the {self.document.seed} ({kept})"
        return f"set who may change {self.seed}"

    @property
    def seed(self) -> str:
        """Seed at which it is published."""
        return self.document.seed


class Publication:
    """Documents of one program, published by one key, which pays. `maintainer` may change them from then on, too.

    That key is the program's upgrade authority or, of what is published already, its maintainer.
    """

    def __init__(
        self, sender: TransactionSender, program: Pubkey, signer: Keypair, maintainer: Pubkey | None = None
    ) -> None:
        self._sender = sender
        self._client = sender.client
        self._program = program
        self._signer = signer
        self._own = signer.pubkey()
        self._maintainer = maintainer

    async def plan(self, documents: Sequence[Document]) -> list[Publishing]:
        """Plans the publication of documents that are missing or differ on chain.

        MetadataProgramMissing, ProgramUnknown, MetadataFinal, NotTheAuthority, and the network's errors.
        """
        addresses = [metadata.metadata_address(self._program, each.seed) for each in documents]
        own, *accounts = await self._client.get_multiple_accounts([metadata.METADATA_PROGRAM, *addresses])
        if own is None or not own.executable:
            raise MetadataProgramMissing(f"The cluster has no program at {metadata.METADATA_PROGRAM}")
        code = await find_program(self._sender, self._program)
        if code is None:
            raise ProgramUnknown(f"There is no upgradeable program at {self._program}")
        plans = [
            await self._plan(document, account, code.authority)
            for document, account in zip(documents, accounts, strict=True)
        ]
        return [plan for plan in plans if plan is not None]

    async def run(self, plan: Publishing, draft: DraftKey, progress: Progress) -> None:
        """Publishes one document. It may be interrupted at any point: another plan has the rest.

        What Upload raises, and what sending raises.
        """
        if plan.has_content:
            if plan.replaces:
                await self._replace(plan, draft(plan.seed), progress)
            else:
                await self._publish(plan, progress)
        if self._maintainer is not None:
            address = metadata.metadata_address(self._program, plan.seed)
            found = metadata.Metadata.read(await self._account(address))
            if found is not None and found.authority != self._maintainer:
                await self._send(metadata.set_authority(address, self._own, self._maintainer, self._program))

    async def _plan(self, document: Document, account: Account | None, upgrader: Pubkey | None) -> Publishing | None:
        found = metadata.Metadata.read(account)
        same = found is not None and document.is_same(found.content)
        kept = found is not None and self._maintainer in (None, found.authority)
        if same and kept:
            return None
        if found is not None and found.final:
            raise MetadataFinal(f"The {document.seed} of {self._program} can never be changed")
        allowed = {upgrader} if found is None else {upgrader, found.authority}
        if self._own not in allowed:
            who = " or ".join(sorted(str(each) for each in allowed if each is not None)) or "Nobody"
            raise NotTheAuthority(f"{who} may publish the {document.seed} of {self._program}, not {self._own}")
        data = metadata.compressed(document.content)
        size = metadata.HEADER_BYTES + len(data)
        held = 0 if account is None else account.lamports
        rent = 0
        sent = ACTS
        if not same:
            rent = await self._client.get_minimum_balance_for_rent_exemption(size) - held
            sent += 1 + len(data) // ABOUT_PART_BYTES
        fees = sent * await self._client.signature_fee()
        return Publishing(document, data, found is not None, not same, rent, fees)

    async def _publish(self, plan: Publishing, progress: Progress) -> None:
        target = MetadataInPlace(self._program, self._own, plan.seed)
        begun = metadata.Draft.read(await self._account(target.address))
        if begun is not None and (begun.authority != self._own or len(begun.content) != len(plan.data)):
            await self._send(metadata.close(target.address, self._own, self._own, self._program))
        await Upload(self._sender, self._signer, target, plan.data).run(progress)
        await self._send(metadata.initialize(self._program, self._own, plan.seed))

    async def _replace(self, plan: Publishing, key: Keypair, progress: Progress) -> None:
        target = MetadataApart(key, self._own)
        begun = metadata.Draft.read(await self._account(target.address))
        if begun is not None and len(begun.content) != len(plan.data):
            await self._send(metadata.close(target.address, self._own, self._own))
        await Upload(self._sender, self._signer, target, plan.data).run(progress)
        address = metadata.metadata_address(self._program, plan.seed)
        there = await self._account(address)
        longer = metadata.HEADER_BYTES + len(plan.data) - (0 if there is None else len(there.data))
        acts = [
            metadata.set_data(self._program, self._own, plan.seed, target.address),
            metadata.close(target.address, self._own, self._own),
        ]
        if plan.rent > 0:
            acts.insert(0, transfer(TransferParams(from_pubkey=self._own, to_pubkey=address, lamports=plan.rent)))
        if longer > metadata.MAX_GROWTH:
            acts[1:1] = grown(address, self._own, longer, self._program)
        if plan.rent < 0:
            acts.append(metadata.trim(address, self._own, self._own, self._program))
        await self._send(*acts)

    async def _account(self, address: Pubkey) -> Account | None:
        [account] = await self._client.get_multiple_accounts([address], self._sender.commitment)
        return account

    async def _send(self, *instructions: Instruction) -> None:
        await self._sender.send(instructions, payer=self._signer)
