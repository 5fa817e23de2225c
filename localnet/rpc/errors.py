"""JSON-RPC errors with the codes and words of a validator."""

from localnet.records import Json

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
SEND_TRANSACTION_PREFLIGHT_FAILURE = -32002
TRANSACTION_SIGNATURE_VERIFICATION_FAILURE = -32003
BLOCK_NOT_AVAILABLE = -32004
SLOT_SKIPPED = -32007
NO_SNAPSHOT = -32008
UNSUPPORTED_TRANSACTION_VERSION = -32015
MIN_CONTEXT_SLOT_NOT_REACHED = -32016
FILTER_TRANSACTION_NOT_FOUND = -32020
BLOCK_CLEANED_UP = -32001


class RpcError(Exception):
    """An error object of JSON-RPC 2.0."""

    def __init__(self, code: int, message: str, data: Json = None) -> None:
        self.code = code
        self.message = message
        self.data = data
        super().__init__(message)

    def to_json(self) -> dict[str, Json]:
        """The error object; `data` only when there is some."""
        error: dict[str, Json] = {"code": self.code, "message": self.message}
        return error if self.data is None else error | {"data": self.data}


def invalid_params(message: str) -> RpcError:
    """-32602 with the message as it stands."""
    return RpcError(INVALID_PARAMS, message)


def block_not_available(slot: int) -> RpcError:
    """-32004 for a slot that is not complete yet."""
    return RpcError(BLOCK_NOT_AVAILABLE, f"Block not available for slot {slot}")
