"""Transactions as clients send them: decoding, size limits and sanitation."""

from solders.transaction import SanitizeError, VersionedTransaction

from localnet.rpc.binary_text import base58_param, base64_param
from localnet.rpc.errors import invalid_params
from localnet.rpc.params import Params

ENCODINGS = ("binary", "base64", "base58", "json", "jsonParsed")
TYPE = "solana_transaction::versioned::VersionedTransaction"
V1_PREFIX = 0x81
MAX_BYTES = 1232
MAX_V1_BYTES = 4096
MAX_TEXT = {"base58": 1683, "base64": 1644}
MAX_V1_TEXT = {"base58": 5594, "base64": 5464}


def decode_transaction(text: str, config: Params) -> VersionedTransaction:
    """The transaction in a parameter: base58 unless the config says base64. Raises RpcError -32602."""
    encoding = config.choice("encoding", ENCODINGS) or "base58"
    if encoding in ("json", "jsonParsed"):
        raise invalid_params(f"unsupported encoding: {encoding}. Supported encodings: base58, base64")
    encoding = "base58" if encoding == "binary" else encoding
    if len(text) > MAX_V1_TEXT[encoding]:
        raise _too_large(encoding, len(text))
    raw = base64_param(text) if encoding == "base64" else base58_param(text)
    if len(raw) > (MAX_V1_BYTES if raw[0] == V1_PREFIX else MAX_BYTES):
        raise _too_large(encoding, len(text))
    try:
        transaction = VersionedTransaction.from_bytes(raw)
    except ValueError as error:
        raise invalid_params(f"failed to deserialize {TYPE}: {error}") from None
    try:
        transaction.sanitize()
    except SanitizeError:
        raise invalid_params("invalid transaction: Transaction failed to sanitize accounts offsets correctly") from None
    return transaction


def _too_large(encoding: str, size: int) -> Exception:
    limits = f"(max: encoded/raw {MAX_TEXT[encoding]}/{MAX_BYTES})"
    return invalid_params(f"{encoding} encoded {TYPE} too large: {size} bytes {limits}")
