"""The application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any, Final

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from solders.pubkey import Pubkey
from sqlalchemy import Engine
from starlette.types import ASGIApp

from anchor_client.market.client import Market
from indexer.accounts.signing_keys import SigningKeys, load_keys
from indexer.api.actions.faucet import Faucet
from indexer.api.actions.form import VERSION_HEADER as ACTION_VERSION_HEADER
from indexer.api.actions.relays import Relays
from indexer.api.dashboard import Dashboard
from indexer.api.documentation import Documentation
from indexer.api.errors import add_error_handlers
from indexer.api.feed.admission import Admission
from indexer.api.feed.feed import FeedHub
from indexer.api.http.bodies import BodyLimit
from indexer.api.http.compact import CompactAnswers
from indexer.api.http.methods import HeadAsGet
from indexer.api.http.request_ids import HEADER as REQUEST_ID_HEADER
from indexer.api.http.request_ids import RequestIds
from indexer.api.http.same_origin import SameOrigin
from indexer.api.http.version import API_VERSION, Versioned
from indexer.api.http.version import HEADER as VERSION_HEADER
from indexer.api.identity.lifespan import signing_in
from indexer.api.kept.answers import KeptAnswers, PreparedAnswers
from indexer.api.kept.dependence import KeptRoutes
from indexer.api.limits.limiter import POLICY_HEADER, QUOTA_HEADER, Limiter
from indexer.api.limits.middleware import RateLimits
from indexer.api.limits.policies import Policies
from indexer.api.limits.storage import counting
from indexer.api.openapi import completed
from indexer.api.reaching import PortTries
from indexer.api.routes import ROUTERS
from indexer.api.routes.nodes import NodeMaker
from indexer.api.routes.solana_actions.answers import CHAINS_HEADER
from indexer.api.webhooks.delivering import Delivering
from indexer.changes.dispatch import ChangeDispatcher
from indexer.changes.reader import reading_changes
from indexer.metrics import API_NODES
from indexer.settings import IndexerSettings
from indexer.status import Status
from indexer.store.database import open_database
from indexer.store.transactions import Reads, Replays, Writes

DESCRIPTION = f"""
Rent GPUs by the second on Solana. Amounts are strings of base units of a mint, with its decimals next to them; prices
are micro-USD per hour, times unix seconds.

All data is final on the chain. Write routes return an unsigned transaction for your wallet to sign and send: the only
key on this server is that of a test market's faucet. Orders for hosts are stored sealed: only the host can read them.

This is version {API_VERSION}: {VERSION_HEADER} of every response names it. Unknown query parameters are refused.
"""
ABOUT: Final[dict[str, Any]] = {"title": "gpu-market", "version": version("gpu-market"), "description": DESCRIPTION}
EXPOSED = (
    *("ETag", REQUEST_ID_HEADER, VERSION_HEADER, POLICY_HEADER, QUOTA_HEADER, "Retry-After"),
    *(ACTION_VERSION_HEADER, CHAINS_HEADER),
)
"""Headers of answers that web pages of other origins may read."""


class Api(FastAPI):
    """Every answer has its request's id and the version, also those to what nobody foresaw."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            self.openapi_schema = _described()
        return self.openapi_schema

    def build_middleware_stack(self) -> ASGIApp:
        return Versioned(RequestIds(super().build_middleware_stack()))


@dataclass(frozen=True, slots=True)
class _Services:
    """The parts of the API that run as long as it answers."""

    settings: IndexerSettings
    index: Engine
    changes: ChangeDispatcher
    feed: FeedHub
    delivering: Delivering

    @asynccontextmanager
    async def running(self, app: FastAPI) -> AsyncIterator[None]:
        """Connects to the chain and the databases, and follows the index; an application's lifespan."""
        settings = self.settings
        state = app.state
        async with Market.connect(
            settings.rpc_url,
            ws_url=settings.pubsub_url,
            program_id=Pubkey.from_string(settings.program_id),
            rpc_rate=settings.rpc_rate,
            tokens=settings.mints,
        ) as market:
            market.session.client.keep_answers(settings.node_cache_seconds)
            nodes = API_NODES.watching("api", market.session.client.nodes)
            async with counting(settings.limits_url) as counts, Relays(market) as relays:
                with (
                    nodes,
                    Reads(self.index) as reads,
                    Replays(self.index) as replays,
                    Writes(self.index) as writes,
                    reading_changes(self.index, self._wake) as reader,
                ):
                    state.market = market
                    state.relays = relays
                    state.faucet = Faucet(market, settings.faucet_keypair)
                    state.port_tries = PortTries()
                    state.reads = reads
                    state.writes = writes
                    state.limiter = Limiter(counts)
                    self.changes.begin(reader, reads)
                    with signing_in(app, settings, self.index):
                        delivering = self.delivering.running(
                            self.index, reads, state.account_reads, state.account_writes
                        )
                        async with self.feed.telling(app, reads, replays), delivering:
                            yield

    def _wake(self) -> None:
        self.feed.wake()
        self.delivering.wake()


def create_app(
    settings: IndexerSettings,
    *,
    engine: Engine | None = None,
    status: Status | None = None,
    keys: SigningKeys | None = None,
) -> FastAPI:
    """The API over an index: that of `settings`, which another process keeps complete and tells the status of, if none
    is given. `keys` are those of other processes that answer, or the settings' own. AuthKeysUnusable."""
    index = open_database(settings.database_url) if engine is None else engine
    followed = Status() if status is None else status
    followed.mints = settings.mints
    changes = ChangeDispatcher(settings.program_id, followed, is_told=status is None)
    answers = KeptAnswers()
    changes.subscribe(answers.drop)
    feed = FeedHub(followed, changes)
    services = _Services(settings, index, changes, feed, Delivering(settings, followed, changes))
    app = Api(**ABOUT, lifespan=services.running, openapi_url=None, docs_url=None, redoc_url=None)
    app.state.settings = settings
    app.state.policies = Policies.of(settings)
    if keys is None:
        app.state.signing_keys = load_keys(settings.auth_keys_file)
    else:
        app.state.signing_keys = keys
    app.state.status = followed
    app.state.feed = feed
    app.state.node_maker = NodeMaker()
    app.state.documentation = Documentation(app.openapi)
    app.state.feed_admission = Admission(settings)
    app.add_middleware(PreparedAnswers, routes=_kept_routes(), answers=answers, changes=changes)
    app.add_middleware(CompactAnswers)
    app.add_middleware(BodyLimit)
    app.add_middleware(RateLimits)
    if settings.same_origin:
        app.add_middleware(SameOrigin)
    else:
        app.add_middleware(
            CORSMiddleware, allow_origins=["*"], allow_methods=["*"], allow_headers=["*"], expose_headers=EXPOSED
        )
    app.add_middleware(HeadAsGet)
    add_error_handlers(app)
    for router in ROUTERS:
        app.router.routes.extend(router.routes)
    app.router.default = Dashboard(app.router.default)
    return app


@cache
def _kept_routes() -> KeptRoutes:
    return KeptRoutes(route for router in ROUTERS for route in router.routes)


@cache
def _described() -> dict[str, Any]:
    """The description of all applications, which takes more than a second to make."""
    return completed(FastAPI(**ABOUT, routes=[route for router in ROUTERS for route in router.routes]).openapi())
