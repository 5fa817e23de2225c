"""Requests for people and programs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from rich.table import Table

from anchor_client.amounts import usd
from anchor_client.generated.constants import BPS
from anchor_client.market import MachineRequest, RequestState, kind_name
from market_cli.currencies import Currencies
from market_cli.errors import BadOption
from market_cli.output import Json, table
from market_cli.units import duration, short

COLOURS = {
    RequestState.OPEN: "yellow",
    RequestState.MATCHED: "green",
    RequestState.CANCELLED: "dim",
    RequestState.EXPIRED: "red",
}


def request_document(request: MachineRequest, currencies: Currencies) -> Json:
    """A request for programs; amounts are base units."""
    return {
        "request": str(request.id),
        "state": request.state.value,
        "message": request.message,
        "job": str(request.rental) if request.state is RequestState.MATCHED else None,
        "listing": str(request.listing) if request.listing is not None else None,
        "renter": str(request.renter),
        "gpu": request.gpu,
        "gpu_count": request.gpu_count,
        "regions": list(request.regions),
        "near": request.near,
        "min_score_bps": request.min_score_bps,
        "kind": kind_name(request.kind),
        "duration": request.duration,
        "max_usd_micro": request.max_usd,
        "token": request.token,
        "mint": str(request.mint),
        "decimals": currencies.decimals(request.mint),
        "deposit": request.deposit,
        "refunded": request.refunded,
        "created_at": request.created_at,
        "expires_at": request.expires_at,
        "ended_at": request.ended_at,
        "open_tx": str(request.open_tx) if request.open_tx is not None else None,
        "end_tx": str(request.end_tx) if request.end_tx is not None else None,
        "order_hash": request.order_hash.hex(),
    }


def requests_table(requests: Sequence[MachineRequest], currencies: Currencies) -> Table:
    """One row a request."""
    rows = table(None, "request", "gpu", "where", "kind", "duration", "up to $/h", "in escrow", "until")
    for request in requests:
        rows.add_row(
            str(request.id),
            _machine(request),
            _where(request),
            kind_name(request.kind),
            duration(request.duration),
            usd(request.max_usd),
            currencies.say(request.mint, request.deposit),
            _moment(request.expires_at),
        )
    return rows


def request_table(request: MachineRequest, currencies: Currencies) -> Table:
    """Everything about one request."""
    rows = table(None, "", "")
    rows.show_header = False
    lines = [
        ("request", str(request.id)),
        ("state", f"[{COLOURS[request.state]}]{request.state.value}[/]  {request.message}"),
        ("machine", f"{_machine(request)}, {_where(request)}, reputation from {request.min_score_bps / 100:g} %"),
        ("kind", f"{kind_name(request.kind)} for {duration(request.duration)}, up to {usd(request.max_usd)}/h"),
        ("deposit", currencies.say(request.mint, request.deposit)),
    ]
    if request.is_open:
        lines.append(("waits until", _moment(request.expires_at)))
    else:
        lines.append(("refunded", currencies.say(request.mint, request.refunded)))
    if request.listing is not None:
        lines.append(("job", f"{request.rental} on listing {short(request.listing)}"))
    for name, text in lines:
        rows.add_row(f"[bold]{name}[/]", text)
    return rows


def parse_score(text: str) -> int:
    """Basis points from a percentage such as 90 or 97.5. BadOption."""
    try:
        bps = float(text.removesuffix("%")) * 100
    except ValueError:
        bps = -1
    if not 0 <= bps <= BPS or bps != round(bps):
        raise BadOption(f"{text!r} is not a reputation", "Give a percentage from 0 to 100, such as 90 or 97.5.")
    return round(bps)


def _machine(request: MachineRequest) -> str:
    return request.gpu if request.gpu_count == 1 else f"{request.gpu_count} x {request.gpu}"


def _where(request: MachineRequest) -> str:
    where = ", ".join(request.regions) or "anywhere"
    return where if request.near is None else f"{where}, near {request.near}"


def _moment(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
