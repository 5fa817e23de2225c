"""A Solana node's methods, typed: what this package reads of a cluster and sends to it."""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self, TypedDict

from solana.rpc.commitment import Commitment, Confirmed
from solders.account import Account
from solders.hash import Hash
from solders.message import Message, MessageV0, MessageV1, to_bytes_versioned
from solders.pubkey import Pubkey
from solders.rpc.responses import (
    GetBalanceResp,
    GetBlockHeightResp,
    GetFeeForMessageResp,
    GetGenesisHashResp,
    GetHealthResp,
    GetLatestBlockhashResp,
    GetMinimumBalanceForRentExemptionResp,
    GetRecentPerformanceSamplesResp,
    GetRecentPrioritizationFeesResp,
    GetSignaturesForAddressResp,
    GetSignatureStatusesResp,
    GetSlotResp,
    GetTransactionResp,
    GetVersionResp,
    IsBlockhashValidResp,
    RequestAirdropResp,
    RpcBlockhash,
    RpcConfirmedTransactionStatusWithSignature,
    RpcKeyedAccount,
    RpcPerfSample,
    RpcPrioritizationFee,
    RpcSimulateTransactionResult,
    SendTransactionResp,
    SimulateTransactionResp,
)
from solders.signature import Signature
from solders.system_program import TransferParams, transfer
from solders.transaction import VersionedTransaction
from solders.transaction_status import EncodedConfirmedTransactionWithStatusMeta, TransactionStatus

from anchor_client.service.redaction import Endpoint, urls_of
from anchor_client.solana.answer_cache import AnswerCache, Calls
from anchor_client.solana.answers import accounts_of, answer_of, answers_of, is_answered, keyed_accounts
from anchor_client.solana.errors import RateLimited, RpcRefused, WrongEndpoint
from anchor_client.solana.json_rpc import TIMEOUT_SECONDS, JsonRpc, Retries
from anchor_client.solana.json_rpc.endpoint import NodeEndpoint

TRANSACTION_VERSION: Final = 1
"""Newest transaction version that this client can decode."""
METHOD_NOT_FOUND: Final = -32601
LAMPORTS_PER_SIGNATURE: Final = 5_000
"""Price of a signature until a node has told the cluster's own."""
SIGNATURE_FEE_SECONDS: Final = 3_600.0
"""Age at which the price of a signature is read again."""
MOST_PER_SIGNATURE: Final = 1_000_000_000
"""Higher prices, in lamports, are errors of the node. SQLite, which keepers count in, holds none beyond 63 bits."""
_ANYBODY: Final = Pubkey(bytes([1]) * 32)
"""Payer of the message that is priced; it needs no account."""
_BASE64: Final = {"encoding": "base64"}


class ByteFilter(TypedDict):
    """Passes accounts whose data holds `bytes`, in base58, at `offset`."""

    offset: int
    bytes: str


class NodeClient:
    """Calls nodes at one commitment, unless a call names another; an async context manager.

    `endpoints` are their URLs, separated by commas; `rate` calls a second of each at most.

    Every method raises UnreachableRpc, RateLimited, WrongEndpoint, UnreadableAnswer or RpcRefused. A call that fails in
    a way that may pass, or is not answered within `timeout` seconds, is made again as `retries` says.
    """

    def __init__(
        self,
        endpoints: str,
        commitment: Commitment = Confirmed,
        *,
        timeout: float = TIMEOUT_SECONDS,
        retries: Retries | None = None,
        rate: float | None = None,
    ) -> None:
        self.commitment = commitment
        self._http = JsonRpc(urls_of(endpoints), timeout=timeout, retries=retries, rate=rate)
        self._rpc: Calls = self._http
        self._fees: Sequence[RpcPrioritizationFee] = ()
        self._signature_fee = LAMPORTS_PER_SIGNATURE
        self._signature_fee_until = 0.0

    @property
    def endpoint(self) -> Endpoint:
        """Endpoint of the first node."""
        return self._http.endpoint

    @property
    def nodes(self) -> Sequence[NodeEndpoint]:
        """The nodes, as metrics show them."""
        return self._http.endpoints

    def has_landed(self, slot: int, commitment: Commitment) -> None:
        """From now on reads at this commitment are not older than a transaction that has landed in a slot."""
        self._http.landed.add(slot, commitment)

    def keep_answers(self, seconds: float) -> None:
        """From now on what was read within `seconds` is not read again, single accounts aside: for servers."""
        self._rpc = AnswerCache(self._http, seconds)

    async def get_multiple_accounts(
        self, addresses: Sequence[Pubkey], commitment: Commitment | None = None
    ) -> Sequence[Account | None]:
        """Accounts in the order of their addresses, at most 100; None if there is none."""
        config = self._config(commitment, _BASE64)
        return await self._rpc.call("getMultipleAccounts", [_texts(addresses), config], accounts_of(len(addresses)))

    async def get_program_accounts(
        self,
        program_id: Pubkey,
        filters: Sequence[ByteFilter],
        commitment: Commitment | None = None,
        part: range | None = None,
    ) -> Sequence[RpcKeyedAccount]:
        """The accounts of a program that pass every filter; only a `part` of their bytes, if given."""
        config = self._config(commitment, _BASE64) | {"filters": [{"memcmp": one} for one in filters]}
        if part is not None:
            config["dataSlice"] = {"offset": part.start, "length": len(part)}
        return await self._rpc.call("getProgramAccounts", [str(program_id), config], keyed_accounts)

    async def get_balance(self, wallet: Pubkey, commitment: Commitment | None = None) -> int:
        """Lamports of a wallet."""
        return await self._rpc.call("getBalance", [str(wallet), self._config(commitment)], answer_of(GetBalanceResp))

    async def get_minimum_balance_for_rent_exemption(self, size: int, commitment: Commitment | None = None) -> int:
        """Lamports that keep an account of `size` bytes."""
        params = [size, self._config(commitment)]
        read = answer_of(GetMinimumBalanceForRentExemptionResp)
        return await self._rpc.call("getMinimumBalanceForRentExemption", params, read)

    async def get_signatures_for_address(
        self,
        address: Pubkey,
        *,
        before: Signature | None = None,
        until: Signature | None = None,
        limit: int,
        commitment: Commitment | None = None,
    ) -> Sequence[RpcConfirmedTransactionStatusWithSignature]:
        """At most `limit` transactions that name an account, newest first, between two others. None before another one
        is believed at a second look, of another node where there is one.
        """
        bounds = {name: str(bound) for name, bound in (("before", before), ("until", until)) if bound is not None}
        params = [str(address), self._config(commitment) | bounds | {"limit": limit}]
        read = answer_of(GetSignaturesForAddressResp)
        found = await self._http.call("getSignaturesForAddress", params, read)
        return await self._http.look_again("getSignaturesForAddress", params, read) if before and not found else found

    async def get_signature_statuses(
        self, signatures: Sequence[Signature], *, search_transaction_history: bool = False
    ) -> Sequence[TransactionStatus | None]:
        """Statuses of transactions, in the order of their signatures; None for one that the node does not know."""
        params = [_texts(signatures), {"searchTransactionHistory": search_transaction_history}]
        read = answers_of(GetSignatureStatusesResp, len(signatures))
        return await self._rpc.call("getSignatureStatuses", params, read)

    async def get_transaction(
        self, signature: Signature, commitment: Commitment | None = None
    ) -> EncodedConfirmedTransactionWithStatusMeta | None:
        """A transaction of up to TRANSACTION_VERSION; None if the node does not know it at the commitment."""
        config = self._config(commitment, _BASE64) | {"maxSupportedTransactionVersion": TRANSACTION_VERSION}
        return await self._rpc.call("getTransaction", [str(signature), config], answer_of(GetTransactionResp))

    async def get_block_height(self, commitment: Commitment | None = None) -> int:
        """The height of the newest block."""
        return await self._rpc.call("getBlockHeight", [self._config(commitment)], answer_of(GetBlockHeightResp))

    async def get_slot(self, commitment: Commitment | None = None) -> int:
        """The newest slot."""
        return await self._rpc.call("getSlot", [self._config(commitment)], answer_of(GetSlotResp))

    async def get_latest_blockhash(self, commitment: Commitment | None = None) -> RpcBlockhash:
        """The newest blockhash, and until which height it is valid."""
        return await self._rpc.call("getLatestBlockhash", [self._config(commitment)], answer_of(GetLatestBlockhashResp))

    async def is_blockhash_valid(self, blockhash: Hash, commitment: Commitment | None = None) -> bool | None:
        """True while transactions with the blockhash can land; None if the node does not support the call."""
        try:
            read = answer_of(IsBlockhashValidResp)
            return await self._rpc.call("isBlockhashValid", [str(blockhash), self._config(commitment)], read)
        except RpcRefused as error:
            if error.code == METHOD_NOT_FOUND:
                return None
            raise

    async def get_genesis_hash(self) -> Hash:
        """The genesis hash, which identifies the cluster."""
        return await self._rpc.call("getGenesisHash", [], answer_of(GetGenesisHashResp))

    async def get_health(self) -> str:
        """`ok`; RpcRefused, with the reason, while the node is unhealthy."""
        return await self._rpc.call("getHealth", [], answer_of(GetHealthResp))

    async def get_version(self) -> str:
        """The version of the node's software."""
        return (await self._rpc.call("getVersion", [], answer_of(GetVersionResp))).solana_core

    async def runs_alpenglow(self) -> bool | None:
        """True where the cluster runs Alpenglow, where confirmed is final; None where the node does not know."""
        try:
            return await self._rpc.call("getAgGenesisCert", [], is_answered)
        except RpcRefused as error:
            if error.code == METHOD_NOT_FOUND:
                return None
            raise

    async def get_recent_performance_samples(self, limit: int) -> Sequence[RpcPerfSample]:
        """Numbers of slots in each of the last minutes, newest first."""
        return await self._rpc.call("getRecentPerformanceSamples", [limit], answer_of(GetRecentPerformanceSamplesResp))

    async def get_fee_for_message(self, message: Message | MessageV0 | MessageV1) -> int | None:
        """Lamports that a message costs with its signatures; None if its blockhash has ended, or is not there yet."""
        encoded = b64encode(to_bytes_versioned(message)).decode()
        config = self._config(None)
        return await self._rpc.call("getFeeForMessage", [encoded, config], answer_of(GetFeeForMessageResp))

    async def signature_fee(self) -> int:
        """Lamports that the cluster takes for a signature, read once an hour. If the node refuses, or says more
        than a SOL, the last known.
        """
        if time.monotonic() >= self._signature_fee_until:
            with suppress(RpcRefused, RateLimited, WrongEndpoint):
                newest = await self.get_latest_blockhash()
                nothing = transfer(TransferParams(from_pubkey=_ANYBODY, to_pubkey=_ANYBODY, lamports=0))
                message = Message.new_with_blockhash([nothing], _ANYBODY, newest.blockhash)
                told = await self.get_fee_for_message(message)
                if told is None or told > MOST_PER_SIGNATURE:
                    return self._signature_fee
                self._signature_fee = told
            self._signature_fee_until = time.monotonic() + SIGNATURE_FEE_SECONDS
        return self._signature_fee

    async def get_recent_prioritization_fees(self, accounts: Sequence[Pubkey]) -> Sequence[RpcPrioritizationFee]:
        """Priority fees that transactions writing these accounts have paid lately, slot by slot. If the node refuses,
        the last known ones, or none.
        """
        read = answer_of(GetRecentPrioritizationFeesResp)
        with suppress(RpcRefused, RateLimited, WrongEndpoint):
            self._fees = await self._rpc.call("getRecentPrioritizationFees", [_texts(accounts)], read)
        return self._fees

    async def simulate_transaction(
        self, transaction: VersionedTransaction, commitment: Commitment | None = None, *, inner: bool = False
    ) -> RpcSimulateTransactionResult:
        """Result of a transaction on the newest blockhash, its signatures unchecked; with `inner` also the instructions
        that it would call."""
        checks = {"sigVerify": False, "replaceRecentBlockhash": True, "innerInstructions": inner}
        config = self._config(commitment, _BASE64) | checks
        params = [_encoded(transaction), config]
        return await self._rpc.call("simulateTransaction", params, answer_of(SimulateTransactionResp))

    async def send_transaction(
        self, transaction: VersionedTransaction, *, preflight: bool, commitment: Commitment | None = None
    ) -> Signature:
        """Sends a signed transaction once, simulating it first with `preflight`; the node does not send it again."""
        config = {
            **_BASE64,
            "skipPreflight": not preflight,
            "preflightCommitment": commitment or self.commitment,
            "maxRetries": 0,
        }
        return await self._rpc.call("sendTransaction", [_encoded(transaction), config], answer_of(SendTransactionResp))

    async def request_airdrop(self, wallet: Pubkey, lamports: int) -> Signature:
        """Asks the cluster's faucet for lamports; there is none on mainnet."""
        params = [str(wallet), lamports, self._config(None)]
        return await self._rpc.call("requestAirdrop", params, answer_of(RequestAirdropResp))

    async def close(self) -> None:
        """Ends the connections."""
        await self._http.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _config(self, commitment: Commitment | None, more: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return {"commitment": commitment or self.commitment} | dict(more or {})


def _texts(keys: Iterable[Pubkey | Signature]) -> list[str]:
    return [str(key) for key in keys]


def _encoded(transaction: VersionedTransaction) -> str:
    return b64encode(bytes(transaction)).decode()
