"""No route and nothing that one depends on runs in the threads that a framework shares among all requests."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import isasyncgenfunction, iscoroutinefunction

import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, APIWebSocketRoute

from indexer.api.routes import ROUTERS

ROUTES = [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute | APIWebSocketRoute)]


def calls(dependant: Dependant) -> Iterator[object]:
    yield dependant.call
    for each in dependant.dependencies:
        yield from calls(each)


def is_async(call: object) -> bool:
    return any(iscoroutinefunction(each) or isasyncgenfunction(each) for each in (call, type(call).__call__))


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_route__it_and_what_it_depends_on__run_in_the_event_loop(route: APIRoute | APIWebSocketRoute) -> None:
    assert not [call for call in calls(route.dependant) if not is_async(call)]
