"""Which function answers which method, and with how many parameters."""

from collections.abc import Callable
from dataclasses import dataclass

from localnet.cluster import Cluster
from localnet.records import Json
from localnet.rpc.errors import INVALID_PARAMS, METHOD_NOT_FOUND, RpcError, invalid_params
from localnet.rpc.params import Params

Handler = Callable[[Cluster, Params], Json]


@dataclass(frozen=True, slots=True)
class Method:
    """A handler and how many parameters it takes."""

    handler: Handler
    required: int
    maximum: int


class Registry:
    """The methods of one endpoint."""

    def __init__(self) -> None:
        self._methods: dict[str, Method] = {}

    def method(self, name: str, required: int = 0, optional: int = 0) -> Callable[[Handler], Handler]:
        """Registers the decorated function for a method."""

        def register(handler: Handler) -> Handler:
            if name in self._methods:
                raise ValueError(f"{name} is registered twice")
            self._methods[name] = Method(handler, required, required + optional)
            return handler

        return register

    def names(self) -> list[str]:
        """Every method there is."""
        return sorted(self._methods)

    def call(self, cluster: Cluster, name: str, params: Json) -> Json:
        """Answers a call. Raises RpcError."""
        method = self._methods.get(name)
        if method is None:
            raise RpcError(METHOD_NOT_FOUND, "Method not found")
        return method.handler(cluster, check_params(params, method.required, method.maximum))


def check_params(params: Json, required: int, maximum: int) -> Params:
    """Positional parameters in the right number. Raises RpcError -32602."""
    values = [] if params is None else params
    if not isinstance(values, list):
        raise invalid_params("`params` should be an array")
    if len(values) < required:
        raise invalid_params(f"`params` should have at least {required} argument(s)")
    if len(values) > maximum:
        expected = f"Expected from {required} to {maximum} parameters." if maximum else "No parameters were expected"
        message = f"Invalid parameters: {expected}"
        raise RpcError(INVALID_PARAMS, message, f'"Got: {len(values)}"')
    return Params(values)


RPC = Registry()
method = RPC.method
