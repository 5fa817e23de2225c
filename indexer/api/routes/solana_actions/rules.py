"""GET /actions.json, which lists the API's Solana Actions, and their icon."""

from __future__ import annotations

from fastapi import Response
from pydantic import BaseModel, Field

from indexer.api.actions.form import VERSION, VERSION_HEADER
from indexer.api.http.strict import StrictRouter

router = StrictRouter(tags=["solana actions"])
PATHS = "/api/actions/**"
ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="512" height="512">'
    '<rect width="64" height="64" fill="#10141f"/><rect x="8" y="18" width="48" height="28" rx="4" fill="#2fd08c"/>'
    '<circle cx="22" cy="32" r="8" fill="#10141f"/><circle cx="42" cy="32" r="8" fill="#10141f"/></svg>'
)


class Rule(BaseModel):
    """A path of this site, and where its Action is."""

    path_pattern: str = Field(serialization_alias="pathPattern")
    api_path: str = Field(serialization_alias="apiPath")


class Rules(BaseModel):
    """All of them."""

    rules: list[Rule]


@router.get("/actions.json", include_in_schema=False)
async def action_rules(response: Response) -> Rules:
    """As the specification of Solana Actions has it."""
    response.headers[VERSION_HEADER] = VERSION
    return Rules(rules=[Rule(path_pattern=PATHS, api_path=PATHS)])


@router.get("/api/actions/icon.svg", include_in_schema=False)
async def action_icon() -> Response:
    """A picture."""
    return Response(ICON, media_type="image/svg+xml")
