"""One resource a file: a module's `router` is served because it stands here."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages

from fastapi import APIRouter

from indexer.api import documentation


def _routers() -> Iterator[APIRouter]:
    """The routers of the modules below, by their names: no path of one is also another's, so order does not matter."""
    for found in walk_packages(__path__, f"{__name__}."):
        module = import_module(found.name)
        if hasattr(module, "router"):
            yield module.router


ROUTERS = (*_routers(), documentation.router)
