"""One client's subscriptions and the bounded queue of what is to be sent to it."""

import asyncio
import json

from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.service.optional import optional
from localnet.pubsub.hub import Hub
from localnet.pubsub.subscriptions import (
    AccountSubscription,
    ClientSubscription,
    LogsSubscription,
    ProgramSubscription,
    RootSubscription,
    SignatureSubscription,
    SlotSubscription,
)
from localnet.records import Json
from localnet.rpc.accounts import account_encoding
from localnet.rpc.context import is_finalized
from localnet.rpc.envelope import answer
from localnet.rpc.errors import RpcError, invalid_params
from localnet.rpc.filters import parse_filters
from localnet.rpc.params import Params, as_pubkey, as_signature, as_string, unknown_variant, wrong_type
from localnet.rpc.registry import Registry

QUEUE_LIMIT = 10_000
KINDS = ("signature", "account", "program", "logs", "slot", "root")
UNSUBSCRIBE = [f"{kind}Unsubscribe" for kind in KINDS]
METHODS: Registry["PubsubConnection"] = Registry()


class PubsubConnection:
    """Answers subscribe and unsubscribe requests; `outgoing` holds responses and notifications in order.

    A client that lets the queue fill up has `overflowed` set and is to be disconnected.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._subscriptions: dict[int, ClientSubscription] = {}
        self._unsettled: list[SignatureSubscription] = []
        self.outgoing: asyncio.Queue[str] = asyncio.Queue(QUEUE_LIMIT)
        self.overflowed = asyncio.Event()

    def receive(self, message: str | bytes) -> None:
        """Answers a request or batch; what is already known follows the answer."""
        response = answer(self.call, message)
        if response:
            self._enqueue(response)
        for subscription in self._unsettled:
            if self._hub.settle(subscription):
                self._subscriptions.pop(subscription.identifier, None)
        self._unsettled.clear()

    def close(self) -> None:
        """Ends every subscription."""
        for subscription in self._subscriptions.values():
            self._hub.remove(subscription)
        self._subscriptions.clear()

    def call(self, name: str, params: Json) -> Json:
        """A subscription's id, or true for one that ended. Raises RpcError."""
        if name in UNSUBSCRIBE and not params:
            raise invalid_params("Invalid params: invalid length 0, expected a tuple of size 1.")
        return METHODS.call(self, name, params)

    @METHODS.method("signatureSubscribe", 1, 1)
    def _signature(self, params: Params) -> int:
        config = params.config(1, "RpcSignatureSubscribeConfig")
        identifier = self._hub.next_identifier()
        received = config.flag("enableReceivedNotification")
        key = _signature_of(params)
        subscription = SignatureSubscription(identifier, self._deliver_once, is_finalized(config), key, received)
        self._unsettled.append(subscription)
        return self._add(subscription)

    @METHODS.method("accountSubscribe", 1, 1)
    def _account(self, params: Params) -> int:
        config = params.config(1, "RpcAccountInfoConfig")
        key = _address_of(params.string(0))
        encoding = account_encoding(config)
        identifier = self._hub.next_identifier()
        return self._add(AccountSubscription(identifier, self._deliver, is_finalized(config), key, encoding))

    @METHODS.method("programSubscribe", 1, 1)
    def _program(self, params: Params) -> int:
        config = params.config(1, "RpcProgramAccountsConfig")
        key = _address_of(params.string(0))
        encoding = account_encoding(config)
        passes = parse_filters(config.value("filters"))
        identifier = self._hub.next_identifier()
        return self._add(ProgramSubscription(identifier, self._deliver, is_finalized(config), key, encoding, passes))

    @METHODS.method("logsSubscribe", 1, 1)
    def _logs(self, params: Params) -> int:
        config = params.config(1, "RpcTransactionLogsConfig")
        mentions = _mentions(params.value(0))
        address = optional(_address_of, mentions)
        identifier = self._hub.next_identifier()
        return self._add(LogsSubscription(identifier, self._deliver, is_finalized(config), mentions=address))

    @METHODS.method("slotSubscribe")
    def _slot(self, params: Params) -> int:
        return self._add(SlotSubscription(self._hub.next_identifier(), self._deliver))

    @METHODS.method("rootSubscribe")
    def _root(self, params: Params) -> int:
        return self._add(RootSubscription(self._hub.next_identifier(), self._deliver))

    def unsubscribe(self, params: Params) -> bool:
        """Ends a subscription."""
        subscription = self._subscriptions.pop(params.u64(0), None)
        if subscription is None:
            raise invalid_params("Invalid subscription id.")
        self._hub.remove(subscription)
        return True

    def _add(self, subscription: ClientSubscription) -> int:
        self._subscriptions[subscription.identifier] = subscription
        self._hub.add(subscription)
        return subscription.identifier

    def _deliver(self, method: str, identifier: int, result: Json) -> None:
        notification = {"jsonrpc": "2.0", "method": method, "params": {"result": result, "subscription": identifier}}
        self._enqueue(json.dumps(notification, separators=(",", ":")))

    def _deliver_once(self, method: str, identifier: int, result: Json) -> None:
        self._deliver(method, identifier, result)
        if result["value"] != "receivedSignature":
            self._subscriptions.pop(identifier, None)

    def _enqueue(self, message: str) -> None:
        try:
            self.outgoing.put_nowait(message)
        except asyncio.QueueFull:
            self.overflowed.set()


for name in UNSUBSCRIBE:
    METHODS.method(name, 1)(PubsubConnection.unsubscribe)


def _signature_of(params: Params) -> Signature:
    text = params.string(0)
    try:
        return as_signature(text)
    except RpcError:
        raise invalid_params("Invalid Request: Invalid signature provided") from None


def _address_of(text: str) -> Pubkey:
    try:
        return as_pubkey(text)
    except RpcError:
        raise invalid_params("Invalid Request: Invalid pubkey provided") from None


def _mentions(value: Json) -> str | None:
    """The address of a logs filter; None for all transactions. Raises RpcError -32602."""
    if isinstance(value, str):
        if value not in ("all", "allWithVotes"):
            raise unknown_variant(value, ("all", "allWithVotes", "mentions"))
        return None
    if not isinstance(value, dict):
        raise wrong_type(value, "enum RpcTransactionLogsFilter")
    addresses = value.get("mentions")
    if not isinstance(addresses, list):
        raise unknown_variant(next(iter(value), ""), ("all", "allWithVotes", "mentions"))
    if len(addresses) != 1:
        raise invalid_params("Invalid Request: Only 1 address supported")
    return as_string(addresses[0])
