"""GET /api/host-names: names of hosts."""

from __future__ import annotations

from pydantic import BaseModel

from indexer.api.deps import ApiSettings
from indexer.api.http.strict import StrictRouter

router = StrictRouter(prefix="/api/host-names", tags=["market"])


class HostNames(BaseModel):
    """Names by the hosts' wallets."""

    names: dict[str, str]


@router.get("", summary="Names of hosts")
async def list_host_names(settings: ApiSettings) -> HostNames:
    """The names that this API's operator gives hosts; hosts cannot name themselves."""
    return HostNames(names=settings.host_names)
