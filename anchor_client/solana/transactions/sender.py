"""Builds, signs, sends and confirms transactions; never pays twice for one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from solana.rpc.commitment import Commitment, Confirmed
from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.hash import Hash
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.message import Message, MessageV0, MessageV1
from solders.pubkey import Pubkey
from solders.rpc.errors import InvalidParamsMessage, SendTransactionPreflightFailureMessage
from solders.rpc.responses import RpcSimulateTransactionResult
from solders.signature import Signature
from solders.transaction import VersionedTransaction
from solders.transaction_status import TransactionErrorFieldless, TransactionErrorType

from anchor_client.service.errors import GpuMarketError
from anchor_client.solana.errors import RpcRefused
from anchor_client.solana.node import NodeClient
from anchor_client.solana.program import Program
from anchor_client.solana.transactions.confirmation import TRANSIENT, Landing, Timing, await_landing, find_landing
from anchor_client.solana.transactions.details import Sent, TransactionDetails, read_details
from anchor_client.solana.transactions.failures import decode_failure
from anchor_client.solana.transactions.fees import MAX_PRIORITY_FEE, recent_priority_fee
from anchor_client.solana.transactions.message import (
    ComputeBudget,
    MessageVersion,
    UnsignedTransaction,
    compile_message,
    fitting,
    instructions_of,
    unsigned,
)
from anchor_client.solana.transactions.movements import movements_of
from anchor_client.solana.transactions.simulation import FailedSimulation, Simulation, try_simulation
from anchor_client.solana.wallet import Wallet

NEWEST: Final = (MessageVersion.V1, MessageVersion.V0)
OLDER: Final = (MessageVersion.V0,)
_HARMLESS_PREFLIGHT: Final = (TransactionErrorFieldless.AlreadyProcessed, TransactionErrorFieldless.BlockhashNotFound)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A signed transaction that has not been sent. Once `last_valid_block_height` has passed it can never land."""

    transaction: VersionedTransaction
    last_valid_block_height: int
    budget: ComputeBudget
    instructions: tuple[Instruction, ...]

    @property
    def signature(self) -> Signature:
        """The transaction's id, known before it is sent."""
        return self.transaction.signatures[0]


OnSigned = Callable[[Prepared], Awaitable[None]]


class TransactionSender:
    """Sends transactions at one commitment. `max_priority_fee` caps the priority fee, micro-lamports a compute unit.
    `version` is that of every message; by default v1 where the cluster takes it, else v0.

    `on_signed` is awaited with each signed transaction before it is sent, so that its signature can be written down.
    Every method raises the network's errors (UnreachableRpc, RateLimited, WrongEndpoint, RpcRefused).
    """

    def __init__(
        self,
        client: NodeClient,
        program: Program,
        *,
        commitment: Commitment = Confirmed,
        max_priority_fee: int = MAX_PRIORITY_FEE,
        version: MessageVersion | None = None,
        timing: Timing | None = None,
        on_signed: OnSigned | None = None,
    ) -> None:
        self.client = client
        self.commitment = commitment
        self.max_priority_fee = max_priority_fee
        self.version = version
        self.program = program
        self.timing = timing or Timing()
        self.on_signed = on_signed
        self._v1_is_refused = False

    async def send(
        self,
        instructions: Sequence[Instruction],
        *,
        payer: Keypair | Wallet,
        signers: Sequence[Keypair | Wallet] = (),
        version: MessageVersion | None = None,
    ) -> Sent:
        """Simulates, signs, sends and confirms. A transaction that would fail is refused before it costs anything.

        Raises what `prepare` and `submit` raise.
        """
        return await self.submit(await self.prepare(instructions, payer=payer, signers=signers, version=version))

    async def prepare(
        self,
        instructions: Sequence[Instruction],
        *,
        payer: Keypair | Wallet,
        signers: Sequence[Keypair | Wallet] = (),
        version: MessageVersion | None = None,
        lookup_tables: Sequence[AddressLookupTableAccount] = (),
        budget: ComputeBudget | None = None,
    ) -> Prepared:
        """A signed transaction, with a compute limit from its simulation and a priority fee from recent ones.

        With `budget` nothing is simulated. Raises the error that the simulation failed with, or TransactionTooLarge.
        """
        keys = [_keypair(payer), *(_keypair(signer) for signer in signers)]
        address = keys[0].pubkey()
        chosen = version or self.version
        if budget is None:
            versions: tuple[MessageVersion, ...] = NEWEST
            if chosen:
                versions = (chosen,)
            elif lookup_tables:
                versions = OLDER
            version, _, simulation = await self._tried(instructions, address, versions)
            budget = simulation.budget(await self._priority_fee(instructions, address))
        else:
            version = chosen or fitting(instructions, address, lookup_tables)
        blockhash, last_valid = await self.latest_blockhash()
        message = compile_message(
            instructions, address, blockhash, version=version, budget=budget, lookup_tables=lookup_tables
        )
        unique = {key.pubkey(): key for key in keys}
        transaction = VersionedTransaction(message, list(unique.values()))
        return Prepared(transaction, last_valid, budget, tuple(instructions))

    async def budget(
        self, instructions: Sequence[Instruction], payer: Pubkey, *, version: MessageVersion | None = None
    ) -> ComputeBudget:
        """The compute budget that the instructions need. Raises the error that they would fail with."""
        simulation = await self.simulate(instructions, payer, version=version)
        return simulation.budget(await self._priority_fee(instructions, payer))

    async def simulate(
        self, instructions: Sequence[Instruction], payer: Pubkey, *, version: MessageVersion | None = None
    ) -> Simulation:
        """Simulates the instructions. Raises the error that they would fail with."""
        chosen = version or self.version
        *_, simulation = await self._tried(instructions, payer, (chosen,) if chosen else NEWEST)
        return simulation

    async def _priority_fee(self, instructions: Sequence[Instruction], payer: Pubkey) -> int:
        return await recent_priority_fee(self.client, instructions, payer, self.max_priority_fee)

    async def _tried(
        self,
        instructions: Sequence[Instruction],
        payer: Pubkey,
        versions: Sequence[MessageVersion],
        *,
        inner: bool = False,
    ) -> tuple[MessageVersion, Message | MessageV0 | MessageV1, Simulation]:
        """Simulates the instructions in the first of `versions` that the cluster takes; what it has refused once is
        not asked for again. Raises the error that they would fail with."""
        *newer, last = versions
        if self._v1_is_refused:
            newer = []
        for version in newer:
            message = self._trial(instructions, payer, version)
            try:
                result = await self._result(message, instructions, inner=inner)
            except RpcRefused:  # how a node answers that cannot read the version; the older one tells any other reason
                continue
            if isinstance(result, Simulation):
                return version, message, result
            if result.cause != TransactionErrorFieldless.UnsupportedVersion:
                raise result.error
        message = self._trial(instructions, payer, last)
        result = await self._result(message, instructions, inner=inner)
        if isinstance(result, FailedSimulation):
            raise result.error
        self._v1_is_refused = self._v1_is_refused or bool(newer)
        return last, message, result

    def _trial(
        self, instructions: Sequence[Instruction], payer: Pubkey, version: MessageVersion
    ) -> Message | MessageV0 | MessageV1:
        """A message to simulate, with a priority fee, so that size and units are those of the message to send."""
        budget = ComputeBudget(priority_fee=1 if self.max_priority_fee else 0)
        return compile_message(instructions, payer, Hash.default(), version=version, budget=budget)

    async def _result(
        self, message: Message | MessageV0 | MessageV1, instructions: Sequence[Instruction], *, inner: bool
    ) -> Simulation | FailedSimulation:
        return await try_simulation(
            self.client,
            message,
            self.program,
            commitment=self.commitment,
            instructions=instructions,
            inner=inner,
        )

    async def unsigned(
        self, instructions: Sequence[Instruction], payer: Pubkey, *, version: MessageVersion | None = None
    ) -> UnsignedTransaction:
        """A simulated, priced transaction for a wallet elsewhere to sign, and what it would move now; needs no key.

        `version` is the newest that the wallet takes: v1 is v0 where the cluster takes no other. By default it is v0,
        and v1 for what does not fit that. Raises the error that it would fail with, or TransactionTooLarge.
        """
        versions = NEWEST if version is MessageVersion.V1 else (version or fitting(instructions, payer),)
        taken, message, simulation = await self._tried(instructions, payer, versions, inner=True)
        moved = movements_of(
            simulation.result,
            message.account_keys,
            instructions,
            first=len(message.instructions) - len(instructions),
            program=self.program,
        )
        budget = simulation.budget(await self._priority_fee(instructions, payer))
        blockhash, last_valid = await self.latest_blockhash()
        return unsigned(
            instructions,
            payer,
            blockhash,
            last_valid,
            version=taken,
            budget=budget,
            movements=moved,
            signature_fee=await self.client.signature_fee(),
        )

    async def submit(self, prepared: Prepared) -> Sent:
        """Sends a signed transaction, rebroadcasting until it lands or expires, and waits for the commitment.

        It is never signed again: after TransactionExpired that is up to the caller. Raises OutcomeUnknown while it may
        still land, DetailsUnavailable once it has landed, and the named error if it failed.
        """
        if self.on_signed is not None:
            await self.on_signed(prepared)
        landing = await self.land(prepared)
        details = await self.details(landing.signature)
        if details.error is not None:
            raise self._failure(prepared, details.error, details.logs)
        return Sent(**{name: getattr(details, name) for name in TransactionDetails.__slots__})

    async def land(self, prepared: Prepared) -> Landing:
        """Sends a signed transaction, rebroadcasting until it reaches the commitment. Raises what `confirm` raises, and
        the named error if preflight refuses it."""
        await self.broadcast(prepared, preflight=True)

        async def again() -> None:
            await self.broadcast(prepared, preflight=False)

        blockhash = prepared.transaction.message.recent_blockhash
        return await self.confirm(
            prepared.signature, prepared.last_valid_block_height, broadcast=again, blockhash=blockhash
        )

    async def broadcast(self, prepared: Prepared, *, preflight: bool) -> None:
        """Sends a signed transaction to the node once. Raises the named error if preflight refuses it.

        It does not fail if the node does not answer or has not yet seen the blockhash.
        """
        try:
            await self.client.send_transaction(prepared.transaction, preflight=preflight, commitment=self.commitment)
        except TRANSIENT as error:
            refused = _preflight_failure(error)
            if refused is None or refused.err is None:
                return
            if await self._may_have_landed(prepared.signature):
                return
            raise self._failure(prepared, refused.err, refused.logs or ()) from error

    async def confirm(
        self,
        signature: Signature,
        last_valid_block_height: int,
        *,
        broadcast: Callable[[], Awaitable[None]] | None = None,
        blockhash: Hash | None = None,
    ) -> Landing:
        """Waits until a transaction has landed, whoever sent it; with its `blockhash` as long as that is valid. Raises
        TransactionExpired or OutcomeUnknown.
        """
        return await await_landing(
            self.client,
            signature,
            last_valid_block_height,
            commitment=self.commitment,
            timing=self.timing,
            broadcast=broadcast,
            blockhash=blockhash,
        )

    async def details(self, signature: Signature) -> TransactionDetails:
        """Logs, fee and events of a transaction that has landed. Raises DetailsUnavailable."""
        return await read_details(self.client, signature, self.program, commitment=self.commitment, timing=self.timing)

    async def latest_blockhash(self) -> tuple[Hash, int]:
        """A blockhash for a new transaction, and the last block height at which that may land."""
        value = await self.client.get_latest_blockhash(self.commitment)
        return value.blockhash, value.last_valid_block_height

    async def _may_have_landed(self, signature: Signature) -> bool:
        """True where an earlier broadcast may have landed, or the node does not say: confirmation then decides."""
        try:
            return await find_landing(self.client, signature) is not None
        except TRANSIENT:
            return True

    def _failure(self, prepared: Prepared, error: TransactionErrorType, logs: Sequence[str]) -> GpuMarketError:
        message = prepared.transaction.message
        known = prepared.instructions or instructions_of(message)
        first = len(message.instructions) - len(known)
        return decode_failure(error, self.program, instructions=known, first=first, logs=logs)


def _keypair(signer: Keypair | Wallet) -> Keypair:
    return signer.keypair if isinstance(signer, Wallet) else signer


def _preflight_failure(error: Exception) -> RpcSimulateTransactionResult | None:
    """The result of a failed preflight; None if preflight did not fail. Raises `error` if the request was malformed."""
    reason = error.reason if isinstance(error, RpcRefused) else None
    if isinstance(reason, InvalidParamsMessage):
        raise error
    if isinstance(reason, SendTransactionPreflightFailureMessage) and reason.data.err not in _HARMLESS_PREFLIGHT:
        return reason.data
    return None
