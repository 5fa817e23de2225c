"""Errors of calls, by name, and whether another attempt or another node may help."""

from __future__ import annotations

import re
import time
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Final

from anchor_client.service.errors import GpuMarketError
from anchor_client.service.redaction import Endpoint
from anchor_client.solana.errors import RateLimited, RpcRefused, UnreachableRpc, UnreadableAnswer, WrongEndpoint
from anchor_client.solana.http.answer import HttpAnswer, NoHttpUrl, TooSlow, Undecodable

SLOT_NOT_REACHED: Final = -32016
"""The node is behind the requested slot."""
SIGNATURE_UNKNOWN: Final = -32020
"""The node does not know the transaction at which a list is to begin or end: it has not kept it yet, or no more."""
PASSING_CODES: Final = frozenset({-32004, -32005, -32014, SLOT_NOT_REACHED, SIGNATURE_UNKNOWN})
"""Block not available yet, node unhealthy, block status not available yet, node behind what is asked."""
ELSEWHERE_CODES: Final = frozenset({-32001, -32006, -32007, -32009, -32010, -32011, -32601, -32603})
"""Codes for requests that one node cannot answer (pruned, not kept, not offered, busy), but another may."""
NODE_CODES: Final = frozenset({*range(-32021, -32000), -32700, *range(-32603, -32599)})
"""Codes of nodes themselves: any other is of what is in front of one, and says nothing about the call."""
LIMITED_CODES: Final = frozenset({int(HTTPStatus.TOO_MANY_REQUESTS), -32429, -32097})
"""Codes of providers' own for a rate limit, in answers of status 200."""
NEVER_LIMITED: Final = frozenset({-32002, -32602})
"""Failed simulation and invalid parameters: their words are of programs, or about the call."""
_LIMITED_WORDS: Final = re.compile(
    r"rate.?limit|too many (requests?|calls|connections)\b|throttl|\bquota\b|\busage (reached|exceeded)|\bslow down\b"
    r"|\blimits? (was |were |has been |have been )?(reached|exceeded|hit|exhausted)\b|\b(daily|monthly) limit\b"
    r"|\b(requests?|calls?|credits?|connections?|RPS)\b( per \w+)? limit(s|ed)?\b|\blimited to \d+ ?(/|per )"
    r"|\blimit of (requests|calls|credits)\b|\breached the limit of your plan\b|\bthan your plan allows\b"
    r"|\b(out of|no|insufficient|used up your) credits\b|\bcredits left\b"
    r"|\b(request|call|credit|capacity)s?\b[^.,;]{0,30}\b(exceeded|reached|exhausted)"
    r"|\bexceed(s|ed)\b[^.,;]{0,40}\b(?<!per )(?<!the )(?<!a )(requests?|calls?|credits?|capacity|throughput)\b"
    r"|\bRPS\b[^.,;]{0,30}\bexceeded"
    r"|\b(requests?|calls?|credits?|(compute )?units|quota)\b[^.,;]{0,30}\b(exhausted|used up)\b"
    r"|\b(exhausted|used up|run out of|no more)\b[^.,;]{0,20}\b(requests|calls|credits|units)\b"
    r"|\bmaximum (number of )?(requests|calls)\b"
    r"|\b(usage|daily|monthly|hourly) cap (was |has been )?(reached|exceeded)\b|\btoo frequent",
    re.IGNORECASE,
)
"""Words of providers for it, whatever the code."""
_SIZES: Final = re.compile(
    r"\b(batch|block range|body|count|data|log|memory|payload|range|response|size)\b[^.,;]{0,20}\blimit", re.IGNORECASE
)
"""Words about the limit of one request, which no rest helps."""


def refusal_of(code: object, message: object, reason: object = None) -> GpuMarketError:
    """The error for a request that the node refused; `reason` is its answer where solders knows it.

    ValueError if it is not a JSON-RPC error.
    """
    if type(code) is not int or not isinstance(message, str):
        raise ValueError("a refusal without code and message")
    if code in LIMITED_CODES or (code not in NEVER_LIMITED and _is_limit_of_rate(message)):
        return RateLimited("The RPC node refuses more requests for now")
    return RpcRefused(f"The RPC node refused: {message}", code, reason=reason)


def _is_limit_of_rate(message: str) -> bool:
    return _LIMITED_WORDS.search(message) is not None and _SIZES.search(message) is None


def may_pass(error: BaseException) -> bool:
    """True where the same node may answer later."""
    if isinstance(error, RpcRefused):
        return error.code in PASSING_CODES or error.code not in NODE_CODES
    return isinstance(error, UnreachableRpc | RateLimited | UnreadableAnswer)


def may_differ(error: BaseException) -> bool:
    """True where another node may answer."""
    return (
        may_pass(error)
        or isinstance(error, WrongEndpoint)
        or (isinstance(error, RpcRefused) and error.code in ELSEWHERE_CODES)
    )


def kind_of(error: BaseException) -> str:
    """A word for the metrics."""
    if isinstance(error, RateLimited):
        return "rate_limited"
    if isinstance(error, RpcRefused):
        return "behind" if error.code in PASSING_CODES else "refused"
    if isinstance(error, WrongEndpoint):
        return "unreadable" if isinstance(error, UnreadableAnswer) else "wrong_endpoint"
    return "unreachable"


def require_success(endpoint: Endpoint, answer: HttpAnswer) -> None:
    """Raises RateLimited, UnreachableRpc or WrongEndpoint for an answer that says so in HTTP."""
    if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
        told = seconds_told(answer.retry_after)
        raise RateLimited(f"{endpoint} refuses more requests for now", retry_after=told)
    if answer.is_server_error:
        raise UnreachableRpc(f"{endpoint} answers with HTTP status {answer.status}")
    if not answer.is_success:
        raise WrongEndpoint(f"{endpoint} answers with HTTP status {answer.status}")


def transport_error(endpoint: Endpoint, cause: Exception) -> GpuMarketError:
    """The error for a failed HTTP request."""
    if isinstance(cause, NoHttpUrl):
        return WrongEndpoint(f"{str(endpoint)!r} is not a URL of an RPC node")
    if isinstance(cause, TooSlow | TimeoutError):
        return UnreachableRpc(f"{endpoint} does not answer in time")
    if isinstance(cause, Undecodable):
        return UnreadableAnswer(f"{endpoint} returned an unreadable response: {cause}")
    return UnreachableRpc(f"{endpoint} cannot be reached")


def seconds_told(retry_after: str | None) -> float | None:
    """Retry-After in seconds from now, from a number or a date; None where it says neither."""
    if retry_after is None:
        return None
    try:
        return float(int(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
