"""Filters of getProgramAccounts and programSubscribe."""

from collections.abc import Callable

from solders.account import Account

from localnet.encoding.tokens import token_account
from localnet.records import Json
from localnet.rpc.binary_text import BadText, decode_base58, decode_base64
from localnet.rpc.errors import invalid_params
from localnet.rpc.params import Params, as_u64, unknown_variant, wrong_type

MAX_FILTERS = 4
MAX_MEMCMP_BYTES = 128
MAX_MEMCMP_BASE58 = 175
MAX_MEMCMP_BASE64 = 172
KINDS = ("dataSize", "memcmp", "tokenAccountState")

Filter = Callable[[Account], bool]


def parse_filters(value: Json) -> Filter:
    """One predicate for all the filters. Raises RpcError -32602."""
    if value is None:
        return lambda account: True
    if not isinstance(value, list):
        raise wrong_type(value, "a sequence")
    if len(value) > MAX_FILTERS:
        raise invalid_params(f"Too many filters provided; max {MAX_FILTERS}")
    filters = [_filter(item) for item in value]
    return lambda account: all(passes(account) for passes in filters)


def _filter(value: Json) -> Filter:
    if value == "tokenAccountState":
        return lambda account: token_account(account) is not None
    if not isinstance(value, dict) or len(value) != 1:
        raise wrong_type(value, "RpcFilterType")
    ((kind, detail),) = value.items()
    if kind == "dataSize":
        size = as_u64(detail)
        return lambda account: len(account.data) == size
    if kind == "memcmp":
        if not isinstance(detail, dict):
            raise wrong_type(detail, "struct Memcmp")
        return _memcmp(Params(detail))
    raise unknown_variant(kind, KINDS)


def _memcmp(config: Params) -> Filter:
    offset = config.number("offset", "usize")
    if offset is None:
        raise invalid_params("Invalid params: missing field `offset`.")
    wanted = _bytes(config)
    return lambda account: account.data[offset : offset + len(wanted)] == wanted


def _bytes(config: Params) -> bytes:
    value = config.value("bytes")
    if isinstance(value, list):
        wanted = bytes(as_u64(item, "u8") for item in value)
    else:
        text = config.text("bytes") or ""
        encoding = config.choice("encoding", ("base58", "base64", "bytes")) or "base58"
        wanted = _decode(text, encoding)
    if len(wanted) > MAX_MEMCMP_BYTES:
        raise invalid_params("Invalid param: DataTooLarge")
    return wanted


def _decode(text: str, encoding: str) -> bytes:
    if len(text) > (MAX_MEMCMP_BASE64 if encoding == "base64" else MAX_MEMCMP_BASE58):
        raise invalid_params("Invalid param: DataTooLarge")
    try:
        return decode_base64(text) if encoding == "base64" else decode_base58(text)
    except BadText as error:
        kind = "Base64DecodeError" if encoding == "base64" else "Base58DecodeError"
        raise invalid_params(f"Invalid param: {kind}({error})") from None
