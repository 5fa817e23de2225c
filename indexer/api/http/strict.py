"""Query parameters that a route does not have are refused: what is ignored would answer another question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias, get_origin

from fastapi import APIRouter, Depends, Request, params
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel

from indexer.api.errors import ApiError, refusals

Responses: TypeAlias = dict[int | str, dict[str, Any]]
EVERYWHERE: Responses = refusals(401, 403, 404, 422, 429, 503)
"""Refusals that any route may answer with."""


async def only_known_parameters(request: Request) -> None:
    """For every route. ApiError 422 with the parameter, and what the route takes instead."""
    if not request.scope["query_string"]:
        return
    route: APIRoute = request.scope["route"]
    named = _names(route.dependant)
    allowed = tuple(sorted(named))
    for name, times in Counter(name for name, _ in request.query_params.multi_items()).items():
        if name not in allowed:
            detail = f"{request.url.path} has no parameter {name!r}."
            raise ApiError(422, "unknown_parameter", detail, _remedy(allowed), parameter=name, allowed=allowed)
        if times > 1 and not named[name]:
            detail = f"The parameter {name!r} is given {times} times."
            raise ApiError(422, "repeated_parameter", detail, "Give it once.", parameter=name, allowed=allowed)


def _remedy(allowed: tuple[str, ...]) -> str:
    return f"It takes {', '.join(allowed)}." if allowed else "Send no parameters."


def _names(dependant: Dependant) -> dict[str, bool]:
    """Of a route, of what it depends on, and of models that stand for several; and whether each may be there again."""
    named: dict[str, bool] = {}
    for field in dependant.query_params:
        kind = field.field_info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            named |= {about.alias or name: False for name, about in kind.model_fields.items()}
        else:
            named[field.alias] = get_origin(kind) is list
    for each in dependant.dependencies:
        named |= _names(each)
    return named


class StrictRouter(APIRouter):
    """Routes that take no parameter but their own, described with what any of them may answer.

    They are made as their module is loaded and go into an application as they are: one that includes a router makes
    its routes again, at its first request and for a second, and matches every request twice.
    """

    def __init__(
        self, *, dependencies: Sequence[params.Depends] = (), responses: Responses | None = None, **options: Any
    ) -> None:
        dependencies = [Depends(only_known_parameters), *dependencies]
        options.setdefault("generate_unique_id_function", operation_id)
        super().__init__(dependencies=dependencies, responses=EVERYWHERE | (responses or {}), **options)


def operation_id(route: APIRoute) -> str:
    """`jobs_list_jobs`: the area and what is done there, as the acts of the client are called."""
    return "_".join((*(re.sub(r"\W", "_", str(tag)) for tag in route.tags), route.name))
