"""Dependence of a kept answer on the index, declared beside its route."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, TypeVar

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from indexer.changes.words import CONCERN_JOBS, FIXED
from indexer.models import Record, Rental

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])

_RENTER: Final = re.compile(r"(?:^|&)renter=([1-9A-HJ-NP-Za-km-z]{32,44})(?:&|$)")
_ID: Final = r"([1-9A-HJ-NP-Za-km-z]{32,44})"
_DECLARED: Final = "dependence"


class JobDependence(Enum):
    """Narrower dependence than whole tables: on the rentals that a change concerns."""

    ONE = "the rental in the path"
    SOME = "those of the renter in the query, or all"


@dataclass(frozen=True, slots=True)
class Dependence:
    """Tables that a route's answers read, and how much of them matters."""

    tables: frozenset[str]
    jobs: JobDependence | None = None

    def words(self, id: str | None, query: bytes) -> frozenset[str]:
        """Words of the changes that outdate an answer."""
        if self.jobs is None:
            return self.tables
        if self.jobs is JobDependence.ONE and id is not None:
            return frozenset({id})
        renter = _RENTER.search(query.decode("latin-1"))
        return frozenset({Rental.table.name if renter is None else renter[1]})


def kept(*tables: type[Record], jobs: JobDependence | None = None) -> Callable[[Endpoint], Endpoint]:
    """Keeps a route's answers until one of these tables changes, which are all that it reads; with `jobs`, until a
    change concerns those rentals. Raises TypeError for a table of which no rule says which rentals it concerns."""
    if jobs is None:
        silent = []
    else:
        silent = [kind for kind in tables if kind not in CONCERN_JOBS and kind not in FIXED]
    if silent:
        raise TypeError(f"indexer.changes.words does not say which jobs a change of {silent[0].__name__} concerns")

    def declare(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _DECLARED, Dependence(frozenset(kind.table.name for kind in tables), jobs))
        return endpoint

    return declare


def declared(routes: Iterable[BaseRoute]) -> Iterator[tuple[str, Dependence]]:
    """Paths of the routes whose answers are kept, each with its dependence."""
    for route in routes:
        if isinstance(route, APIRoute) and hasattr(route.endpoint, _DECLARED):
            yield route.path, getattr(route.endpoint, _DECLARED)


@dataclass(frozen=True, slots=True)
class AnswerDependence:
    """Dependence of one answer; any commit may change what `is_of_many` jobs or machines."""

    words: frozenset[str]
    is_of_many: bool


class KeptRoutes:
    """Routes with kept answers, found by the path of a request."""

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        self._by_path: dict[str, Dependence] = {}
        self._by_id: list[tuple[re.Pattern[str], Dependence]] = []
        for path, dependence in declared(routes):
            if "{" in path:
                self._by_id.append((re.compile(path.replace("{id}", _ID)), dependence))
            else:
                self._by_path[path] = dependence

    def find(self, path: str, query: bytes) -> AnswerDependence | None:
        """Dependence of an answer; None for one that is not kept."""
        whole = self._by_path.get(path)
        if whole is not None:
            return AnswerDependence(whole.words(None, query), is_of_many=True)
        for pattern, dependence in self._by_id:
            match = pattern.fullmatch(path)
            if match is not None:
                return AnswerDependence(dependence.words(match[1], query), is_of_many=False)
        return None
