"""Registry of RPC methods: each one's handler and number of parameters."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from localnet.cluster import Cluster
from localnet.records import Json
from localnet.rpc.errors import INVALID_PARAMS, METHOD_NOT_FOUND, RpcError, invalid_params
from localnet.rpc.params import Params

Subject = TypeVar("Subject")
Handler = Callable[[Subject, Params], Json]


@dataclass(frozen=True, slots=True)
class Method(Generic[Subject]):
    """A handler and how many parameters it takes."""

    handler: Handler[Subject]
    required: int
    maximum: int


class Registry(Generic[Subject]):
    """The methods of one endpoint; each is called with what they all work on."""

    def __init__(self) -> None:
        self._methods: dict[str, Method[Subject]] = {}

    def method(self, name: str, required: int = 0, optional: int = 0) -> Callable[[Handler[Subject]], Handler[Subject]]:
        """Registers the decorated function for a method."""

        def register(handler: Handler[Subject]) -> Handler[Subject]:
            if name in self._methods:
                raise ValueError(f"{name} is registered twice")
            self._methods[name] = Method(handler, required, required + optional)
            return handler

        return register

    def names(self) -> list[str]:
        """Every method there is."""
        return sorted(self._methods)

    def call(self, subject: Subject, name: str, params: Json) -> Json:
        """Answers a call. Raises RpcError."""
        method = self._methods.get(name)
        if method is None:
            raise RpcError(METHOD_NOT_FOUND, "Method not found")
        return method.handler(subject, _checked(params, method.required, method.maximum))


def _checked(params: Json, required: int, maximum: int) -> Params:
    """Positional parameters in the right number. Raises RpcError -32602."""
    values = [] if params is None else params
    if not isinstance(values, list):
        raise invalid_params("`params` should be an array")
    if len(values) < required:
        raise invalid_params(f"`params` should have at least {required} argument(s)")
    if len(values) > maximum:
        expected = "No parameters were expected"
        if maximum:
            expected = f"Expected from {required} to {maximum} parameters."
        message = f"Invalid parameters: {expected}"
        raise RpcError(INVALID_PARAMS, message, f'"Got: {len(values)}"')
    return Params(dict(enumerate(values)))


RPC: Registry[Cluster] = Registry()
method = RPC.method
