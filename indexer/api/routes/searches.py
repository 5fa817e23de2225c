"""/api/searches: what a wallet looks for among the listings."""

from __future__ import annotations

import time
from typing import Annotated

import msgspec
from fastapi import Depends, Path, Request
from pydantic import BaseModel, ConfigDict, Field

from anchor_client.service.shares import Nest
from indexer.accounts import searches
from indexer.accounts.models import SavedSearch
from indexer.accounts.searches import MAX_SEARCHES, TooManySearches
from indexer.accounts.secrets import new_id
from indexer.api.errors import NETWORK_FULL, ApiError, missing, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.identity.deps import BY_KEY, BY_TOKEN, AccountRead, AccountWrite, ActingIdentity
from indexer.api.limits.middleware import holder_of
from indexer.api.listing_query import ListingFilters
from indexer.api.routes.auth.tokens import no_store
from indexer.store.shares import NetworkFull

CREATED = 201
SearchId = Annotated[str, Path(pattern="^[0-9a-f]{32}$", examples=["0" * 32])]

router = StrictRouter(prefix="/api/searches", tags=["searches"], dependencies=[BY_TOKEN, BY_KEY, Depends(no_store)])


class SearchFilters(ListingFilters):
    """Filters of the list of listings. A notice is only of listings that are available, whatever `available` says."""

    model_config = ConfigDict(extra="forbid")


class NewSearch(BaseModel):
    """A search to save."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=64, pattern=r"^[\x20-\x7e]+$", examples=["cheap H100 in Europe"])
    filters: SearchFilters


class Search(BaseModel):
    """A saved search. Moments are unix seconds."""

    id: str
    name: str
    filters: SearchFilters
    created_at: int


class SearchList(BaseModel):
    """All of a wallet's."""

    searches: list[Search]


@router.post(
    "",
    summary="Save a search",
    status_code=CREATED,
    responses=refusals(400, 401, 409),
    response_model_exclude_none=True,
)
async def save_search(request: Request, asked: NewSearch, identity: ActingIdentity, write: AccountWrite) -> Search:
    """Has the wallet's webhooks told of listings that come to fit, from now on. A search that the wallet has already is
    returned as it was saved first."""
    asked.filters.filters()  # refuses names that the catalog does not have
    made = SavedSearch(
        id=new_id(),
        wallet=identity.wallet,
        name=asked.name,
        filters=asked.filters.model_dump_json(exclude_none=True),
        created_at=int(time.time()),
        **Nest.of(holder_of(request.scope))._asdict(),
    )
    try:
        kept = await write(searches.create, made)
    except TooManySearches:
        message = f"A wallet may have {MAX_SEARCHES} saved searches."
        raise ApiError(409, "too_many_searches", message, "Remove one.") from None
    except NetworkFull:
        message = "Your network has its share of all saved searches."
        raise ApiError(409, "network_full", message, NETWORK_FULL) from None
    return _told(kept)


@router.get("", summary="Your saved searches", responses=refusals(401), response_model_exclude_none=True)
async def list_searches(identity: ActingIdentity, read: AccountRead) -> SearchList:
    """The wallet's searches, newest first."""
    return SearchList(searches=[_told(each) for each in await read(searches.listed, identity.wallet)])


@router.delete("/{id}", summary="Remove a saved search", status_code=204, responses=refusals(401, 404))
async def remove_search(id: SearchId, identity: ActingIdentity, write: AccountWrite) -> None:
    """Forgets the search; nothing more is told of it."""
    if not await write(searches.remove, identity.wallet, id):
        raise missing("search", id)


def _told(search: SavedSearch) -> Search:
    named = {name: getattr(search, name) for name in ("id", "name", "created_at")}
    return Search(filters=SearchFilters.model_construct(**msgspec.json.decode(search.filters)), **named)
