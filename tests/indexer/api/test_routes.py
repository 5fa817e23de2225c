"""Routes are found, not listed: none may stand in another's way, whatever their order."""

from __future__ import annotations

from itertools import permutations

from starlette.routing import Route

from indexer.api.routes import ROUTERS

ROUTES = [route for router in ROUTERS for route in router.routes if isinstance(route, Route)]


def test_paths__of_one_method__match_no_other_route() -> None:
    assert [
        (one.path, other.path)
        for one, other in permutations(ROUTES, 2)
        if (one.methods or set()) & (other.methods or set())
        and one.path_regex.match(other.path.replace("{", "").replace("}", ""))
    ] == []
