"""/api/webhooks: a wallet's endpoints for notices."""

from __future__ import annotations

from typing import Annotated

from fastapi import Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from sqlalchemy import Connection

from anchor_client.service.shares import Nest
from indexer.accounts import webhooks
from indexer.accounts.models import Webhook
from indexer.accounts.secrets import new_id
from indexer.accounts.webhooks import TooManyWebhooks, new_signing_secret
from indexer.api.deps import ApiSettings, Read
from indexer.api.errors import NETWORK_FULL, ApiError, missing, refusals
from indexer.api.feed.topics import NARROW, WALLET, is_topic
from indexer.api.identity.deps import AccountRead, AccountWrite, ActingIdentity
from indexer.api.limits.middleware import holder_of
from indexer.api.routes.webhooks.owner import OwnWebhook, WebhookId, now, webhooks_router
from indexer.api.webhooks.addresses import AddressRefused, checked_url
from indexer.api.webhooks.audience import GOVERNANCE
from indexer.api.webhooks.kinds import Kind
from indexer.api.words import BASE58
from indexer.models import Intake
from indexer.store.intake import intake_of, newest_slot
from indexer.store.shares import NetworkFull

CREATED = 201
MOST_TOPICS = 50
MOST_THRESHOLDS = 5
MOST_URL = 2_048
TOPIC_PATTERN = rf"^({GOVERNANCE}|({'|'.join(sorted(NARROW))}):{BASE58}{{32,44}})$"
THRESHOLD_PATTERN = "^([1-9][0-9]{0,6}s|[1-9][0-9]?%)$"
DEFAULT_LOW_FUNDS = ("600s",)

router = webhooks_router()


def _topic(text: str) -> str:
    if not is_topic(text):
        detail = f"Invalid topic {text}: its address does not have 32 bytes."
        raise ApiError(404, "address_not_found", detail, "Check the address.")
    return text


UrlText = Annotated[str, Field(pattern=r"^https?://[\x21-\x7e]+$", max_length=MOST_URL, examples=["https://a.example"])]
Types = Annotated[
    list[Kind], Field(min_length=1, max_length=len(Kind), description="Its types of notices and its topics.")
]
Topic = Annotated[str, Field(pattern=TOPIC_PATTERN, examples=[GOVERNANCE]), AfterValidator(_topic)]
Topics = Annotated[
    list[Topic],
    Field(
        min_length=1,
        max_length=MOST_TOPICS,
        description="As the feed's: `job:ID`, `listing:ID`, `host:AUTHORITY`, `wallet:ADDRESS` and so on, "
        "and `governance` for every proposal.",
    ),
]
Threshold = Annotated[str, Field(pattern=THRESHOLD_PATTERN, examples=["600s"])]
LowFunds = Annotated[
    list[Threshold],
    Field(
        max_length=MOST_THRESHOLDS,
        description="Thresholds of a job's low funds: seconds left (`600s`), or a share of its time (`10%`).",
    ),
]


class NewWebhook(BaseModel):
    """An endpoint."""

    model_config = ConfigDict(extra="forbid")

    url: UrlText
    types: Types | None = Field(default=None, description="Null for all.")
    topics: Topics | None = Field(default=None, description="Null for all of the wallet's own, and every proposal.")
    low_funds: LowFunds = list(DEFAULT_LOW_FUNDS)


class WebhookChange(BaseModel):
    """Fields to change; null keeps a field as it is."""

    model_config = ConfigDict(extra="forbid")

    url: UrlText | None = None
    types: Types | None = None
    topics: Topics | None = None
    low_funds: LowFunds | None = None
    enabled: bool | None = Field(default=None, description="True resumes where it stopped, up to seven days back.")


class WebhookEndpoint(BaseModel):
    """An endpoint, without its secret. Moments are unix seconds."""

    id: str
    url: str
    types: list[str]
    topics: list[str]
    low_funds: list[str]
    created_at: int
    enabled: bool
    disabled_at: int | None
    disabled_reason: str | None
    failing_since: int | None = Field(description="Start of the current failures.")
    old_secret_until: int | None = Field(description="End of the old secret's use.")


class CreatedWebhook(WebhookEndpoint):
    """A new endpoint, or one with a new secret."""

    secret: str = Field(description="Secret that signs the notices. Shown only once.", examples=["whsec_..."])


class WebhookList(BaseModel):
    """All of a wallet's."""

    webhooks: list[WebhookEndpoint]


@router.post("", summary="Add a webhook", status_code=CREATED, responses=refusals(400, 401, 409))
async def create_webhook(
    request: Request,
    asked: NewWebhook,
    identity: ActingIdentity,
    settings: ApiSettings,
    read: Read,
    write: AccountWrite,
) -> CreatedWebhook:
    """Has the wallet's notices from now on sent to a URL, signed by Standard Webhooks."""
    _check(asked.url, settings.webhook_private)
    intake, since = await read(_here)
    made = Webhook(
        id=new_id(),
        wallet=identity.wallet,
        url=asked.url,
        types=" ".join(_ordered(asked.types or list(Kind))),
        topics=" ".join(asked.topics or [f"{WALLET}:{identity.wallet}", GOVERNANCE]),
        low_funds=" ".join(asked.low_funds),
        secret=new_signing_secret(),
        created_at=now(),
        since=since,
        index_id=intake.id,
        number=intake.last,
        **Nest.of(holder_of(request.scope))._asdict(),
    )
    try:
        await write(webhooks.create, made, settings.webhooks_per_wallet)
    except TooManyWebhooks:
        message = f"A wallet may have {settings.webhooks_per_wallet} webhooks."
        raise ApiError(409, "too_many_webhooks", message, "Remove one, or change it.") from None
    except NetworkFull:
        raise ApiError(409, "network_full", "Your network has its share of all webhooks.", NETWORK_FULL) from None
    return CreatedWebhook(**told(made).model_dump(), secret=made.secret)


@router.get("", summary="Your webhooks", responses=refusals(401))
async def list_webhooks(identity: ActingIdentity, read: AccountRead) -> WebhookList:
    """The wallet's endpoints, newest first, without their secrets."""
    return WebhookList(webhooks=[told(each) for each in await read(webhooks.listed, identity.wallet)])


@router.get("/{id}", summary="One webhook", responses=refusals(401, 404))
async def get_webhook(own: OwnWebhook) -> WebhookEndpoint:
    """An endpoint, and how it is."""
    return told(own)


@router.patch("/{id}", summary="Change a webhook", responses=refusals(400, 401, 404))
async def change_webhook(
    asked: WebhookChange, own: OwnWebhook, settings: ApiSettings, write: AccountWrite
) -> WebhookEndpoint:
    """Changes the given fields. Waiting notices go to the new URL."""
    values: dict[str, object] = {}
    if asked.url is not None:
        _check(asked.url, settings.webhook_private)
        values |= {"url": asked.url, "is_quick": False}
    if asked.types is not None:
        values["types"] = " ".join(_ordered(asked.types))
    for name, given in (("topics", asked.topics), ("low_funds", asked.low_funds)):
        if given is not None:
            values[name] = " ".join(given)
    if asked.enabled is not None and asked.enabled != (own.disabled_at is None):
        values |= {"disabled_at": None, "disabled_reason": None, "failing_since": None}
        if not asked.enabled:
            values |= {"disabled_at": now(), "disabled_reason": "its owner disabled it"}
    changed = await write(webhooks.change, own.wallet, own.id, values)
    if changed is None:
        raise missing("webhook", own.id)
    return told(changed)


@router.delete("/{id}", summary="Remove a webhook", status_code=204, responses=refusals(401, 404))
async def remove_webhook(id: WebhookId, identity: ActingIdentity, write: AccountWrite) -> None:
    """Forgets the endpoint and its deliveries."""
    if not await write(webhooks.remove, identity.wallet, id):
        raise missing("webhook", id)


def told(webhook: Webhook) -> WebhookEndpoint:
    """An endpoint as the API shows it."""
    return WebhookEndpoint(
        id=webhook.id,
        url=webhook.url,
        types=webhook.types.split(),
        topics=webhook.topics.split(),
        low_funds=webhook.low_funds.split(),
        created_at=webhook.created_at,
        enabled=webhook.disabled_at is None,
        disabled_at=webhook.disabled_at,
        disabled_reason=webhook.disabled_reason,
        failing_since=webhook.failing_since,
        old_secret_until=webhook.old_secret_until,
    )


def _check(url: str, private: bool) -> None:
    try:
        checked_url(url, private=private)
    except AddressRefused as error:
        message = f"No notices are sent to {url}: {error}."
        raise ApiError(400, "webhook_url_refused", message, "Give an https URL of a public address.") from None


def _ordered(types: list[Kind]) -> list[str]:
    return [kind.value for kind in Kind if kind in types]


def _here(connection: Connection) -> tuple[Intake, int]:
    """The index's intake, and its newest slot."""
    return intake_of(connection), newest_slot(connection)
