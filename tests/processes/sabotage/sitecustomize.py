"""Python imports this by itself at its start where its folder is on the path: chosen functions of the process raise,
with a secret in a local variable and in an argument."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

TARGETS = dict(each.split(":") for each in os.environ.get("SABOTAGED", "").split())
"""A function's path, `+` and how many calls of it succeed, by its module."""


class Sabotage:
    """Replaces functions as their modules are imported, before others import them from there."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's own, which does one thing more."""
        place = TARGETS.pop(name, None)
        spec = None if place is None else find_spec(name)
        if spec is None or spec.loader is None or place is None:
            return None
        load = spec.loader.exec_module

        def load_and_replace(module: ModuleType) -> None:
            load(module)
            _replace(module, place)

        spec.loader.exec_module = load_and_replace  # type: ignore[method-assign]
        return spec


def _replace(module: ModuleType, place: str) -> None:
    path, _, spared = place.partition("+")
    *owners, name = path.split(".")
    owner: Any = module
    for each in owners:
        owner = getattr(owner, each)
    setattr(owner, name, _raising(getattr(owner, name), f"{path} is sabotaged", int(spared or 0)))


def _raising(function: Callable[..., Any], message: str, spared: int) -> Callable[..., Any]:
    calls = [0]

    def call_or_raise(*given: Any, **named: Any) -> Any:
        calls[0] += 1
        if calls[0] <= spared:
            return function(*given, **named)
        return connect_with(os.environ["SABOTAGE_SECRET"])

    def connect_with(password: str) -> None:
        credential = f"Bearer {password}"
        if credential:
            raise RuntimeError(message)

    return call_or_raise


sys.meta_path.insert(0, Sabotage())  # type: ignore[arg-type]
