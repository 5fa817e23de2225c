"""Types of what requests say, described so that whatever fits its description is understood."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated

from pydantic import AfterValidator, Field, WithJsonSchema
from solders.pubkey import Pubkey
from solders.signature import Signature
from typing_extensions import TypeAliasType

from anchor_client.errors import GpuMarketError
from anchor_client.generated.types import CloseReason
from anchor_client.kinds import ISSUES, KINDS
from anchor_client.rules.catalog import GPU_BY_SLUG, REGION_BY_SLUG, find_gpu, find_region
from anchor_idl.base58 import ALPHABET
from indexer.api.errors import ApiError

REFUSABLE = (
    CloseReason.HOST_FAULT,
    CloseReason.HOST_MAINTENANCE,
    CloseReason.ORDER_REFUSED,
    CloseReason.ORDER_UNDELIVERED,
    CloseReason.ORDER_UNREADABLE,
    CloseReason.ORDER_UNRUNNABLE,
)
"""Why a host may give a job up."""
BASE58 = f"[{ALPHABET}]"
SIGNATURE_PATTERN = f"^{BASE58}{{64,88}}$"
MILLISECONDS = 1_000
BASE64_PATTERN = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"


def _address(text: str) -> str:
    try:
        return str(Pubkey.from_string(text))
    except ValueError as error:
        detail = f"There is no address {text}: it has other than 32 bytes."
        raise ApiError(404, "address_not_found", detail, "Check the address.") from error


def signature_or(refusal: Callable[[str], GpuMarketError]) -> AfterValidator:
    """Accepts a signature's text, or raises what a route says of one that is none."""

    def required(text: str) -> str:
        try:
            return str(Signature.from_string(text))
        except ValueError as error:
            raise refusal("The signature has other than 64 bytes") from error

    return AfterValidator(required)


def _one_of(words: Iterable[str]) -> WithJsonSchema:
    """Other spellings are understood or refused by name."""
    return WithJsonSchema({"type": "string", "enum": sorted(words)})


def _one_of_or_number(words: Iterable[str]) -> WithJsonSchema:
    """Of what a catalog names, and of what it does not, as answers tell them."""
    number = {"type": "string", "pattern": "^[0-9]{1,5}$"}
    return WithJsonSchema({"anyOf": [{"type": "string", "enum": sorted(words)}, number]})


AddressText = Annotated[
    str,
    Field(
        pattern=f"^{BASE58}{{32,44}}$",
        description="A base58 address.",
        examples=["So11111111111111111111111111111111111111112"],
    ),
    AfterValidator(_address),
]
SignedAt = Annotated[int, Field(ge=0, lt=2**53, description="Milliseconds since 1970.", examples=[1_800_000_000_000])]
GpuText = TypeAliasType("GpuText", Annotated[str, _one_of(GPU_BY_SLUG)])
"""Named, so that the description has its many values once."""
RegionText = Annotated[str, _one_of(REGION_BY_SLUG)]
ListedGpuText = TypeAliasType("ListedGpuText", Annotated[str, _one_of_or_number(GPU_BY_SLUG)])
ListedRegionText = Annotated[str, _one_of_or_number(REGION_BY_SLUG)]
KindText = Annotated[str, _one_of(KINDS)]
ReasonText = Annotated[
    str, Field(pattern=f"^({'|'.join(reason.name.lower().replace('_', '-') for reason in REFUSABLE)})$")
]
IssueText = Annotated[str, _one_of(ISSUES)]
HexText = Annotated[str, Field(pattern="^([0-9a-f]{2})+$")]
AmountText = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,18})$")]
"""Base units."""


def gpu_number(gpu: str | None) -> int | None:
    """The number of the model that is asked for, if one is. UnknownGpu."""
    return None if gpu is None else find_gpu(gpu).id


def region_number(region: str | None) -> int | None:
    """The number of the region that is asked for, if one is. UnknownRegion."""
    return None if region is None else find_region(region).id
