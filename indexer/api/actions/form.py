"""The form that the Solana Actions specification gives to refusals."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, Field

PREFIX: Final = "/api/actions/"
VERSION: Final = "2.4"
VERSION_HEADER: Final = "X-Action-Version"


class ActionError(BaseModel):
    """The reason for the refusal."""

    message: str
    error: str = Field(description="A stable name for programs.")
