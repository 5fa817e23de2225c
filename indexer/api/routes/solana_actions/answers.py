"""Answers of Solana Actions: metadata, a transaction, or an error, each with the version and the chain."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from fastapi import Depends, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from indexer.api.actions.acts import Act, Acting, Actor, UnsignedAct
from indexer.api.actions.form import VERSION, VERSION_HEADER, ActionError
from indexer.api.words import AddressText
from indexer.settings import IndexerSettings

CHAINS_HEADER: Final = "X-Blockchain-Ids"


class ActionParameterOption(BaseModel):
    """One of several."""

    label: str
    value: str
    selected: bool = False


class ActionParameter(BaseModel):
    """An input that the user fills in; it takes the place of `{name}` in the link."""

    name: str
    label: str
    type: Literal["text", "number", "select"]
    required: bool = True
    pattern: str | None = None
    pattern_description: str | None = Field(default=None, serialization_alias="patternDescription")
    min: int | None = None
    max: int | None = None
    options: list[ActionParameterOption] | None = None


class LinkedAction(BaseModel):
    """A button."""

    type: Literal["transaction"] = "transaction"
    label: str
    href: str
    parameters: list[ActionParameter] | None = None


class Links(BaseModel):
    """The buttons."""

    actions: list[LinkedAction]


class ActionGetResponse(BaseModel):
    """Description of an Action and its buttons."""

    type: Literal["action"] = "action"
    icon: str
    title: str
    description: str
    label: str
    disabled: bool = False
    links: Links


class ActionPostRequest(BaseModel):
    """The wallet that presses a button. Other fields that the specification may send are ignored."""

    model_config = ConfigDict(extra="ignore")

    account: AddressText


class ActionPostResponse(BaseModel):
    """A transaction to sign, and what it does."""

    type: Literal["transaction"] = "transaction"
    transaction: str
    message: str

    @classmethod
    def of(cls, act: UnsignedAct) -> ActionPostResponse:
        """An act that has been prepared."""
        return cls(transaction=act.transaction, message=act.summary.text)


FAILURES: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": ActionError} for status in (400, 401, 403, 404, 409, 413, 422, 429, 502, 503)
}


async def _with_headers(actor: Acting, response: Response) -> Actor:
    response.headers[VERSION_HEADER] = VERSION
    response.headers[CHAINS_HEADER] = await actor.market.reads.chain_id()
    return actor


Pressed = Annotated[Actor, Depends(_with_headers)]
"""Prepares acts, in answers that have the specification's headers."""


def icon_of(request: Request) -> str:
    """The address of the market's icon: below the page that wallets sign in on. What a request says its host is counts
    only where it has been checked."""
    settings: IndexerSettings = request.app.state.settings
    if settings.same_origin:
        return str(request.url_for("action_icon"))
    page = urlsplit(settings.uri)
    return f"{page.scheme}://{page.netloc}{request.app.url_path_for('action_icon')}"


def act_of(body: ActionPostRequest) -> Act:
    """The account as the wallet of an act."""
    return Act(wallet=body.account)
