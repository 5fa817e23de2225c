"""Requests as tables and JSON."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from anchor_client.amounts import duration, tokens, usd
from anchor_client.market import MachineRequest, RequestState, kind_name
from anchor_client.rules.listing import CUDA_MAJOR
from market_cli.output import details, table
from market_cli.units import moment
from market_cli.worth import NO_WORTH, Worth

COLOURS = {
    RequestState.OPEN: "yellow",
    RequestState.MATCHED: "green",
    RequestState.CANCELLED: "dim",
    RequestState.EXPIRED: "red",
}


def amount(request: MachineRequest, base_units: int, worth: Worth) -> str:
    """A displayed amount of the request's token."""
    said = tokens(base_units, request.decimals, request.token or str(request.mint))
    return said + worth.beside(request.mint, base_units)


def requests_table(requests: Sequence[MachineRequest], worth: Worth = NO_WORTH) -> Table:
    """One row per request."""
    rows = table("request", "gpu", "where", "kind", "duration", "up to $/h", "in escrow", "until")
    for request in requests:
        rows.add_row(
            str(request.id),
            _machine(request),
            _where(request),
            kind_name(request.kind),
            duration(request.duration),
            usd(request.max_usd),
            amount(request, request.deposit, worth),
            moment(request.expires_at),
        )
    return rows


def request_table(request: MachineRequest, worth: Worth = NO_WORTH) -> Table:
    """Everything about one request."""
    lines = [
        ("request", str(request.id)),
        ("status", f"[{COLOURS[request.status]}]{request.status.value}[/]  {request.message}"),
        ("machine", f"{_machine(request)}, {_where(request)}, reputation from {request.min_score_bps / 100:g} %"),
        ("kind", f"{kind_name(request.kind)} for {duration(request.duration)}, up to {usd(request.max_usd)}/h"),
        ("deposit", amount(request, request.deposit, worth)),
    ]
    if least := _least(request):
        lines.insert(3, ("at least", least))
    if request.is_open:
        lines.append(("waits until", moment(request.expires_at)))
    else:
        lines.append(("refunded", amount(request, request.refunded, worth)))
    if request.listing is not None:
        lines += [("job", str(request.job)), ("listing", str(request.listing))]
    return details(*lines)


def _machine(request: MachineRequest) -> str:
    if request.gpu_count == 1:
        return request.gpu
    return f"{request.gpu_count} x {request.gpu}"


def _least(request: MachineRequest) -> str:
    """Minimum specifications of the machine; empty without any."""
    parts = {
        "GB VRAM": request.min_vram_gb,
        "GB RAM": request.min_ram_gb,
        "GB disk": request.min_disk_gb,
        "Mbit/s up": request.min_net_up_mbps,
        "Mbit/s down": request.min_net_down_mbps,
    }
    cuda = f"CUDA {request.min_cuda // CUDA_MAJOR}.{request.min_cuda % CUDA_MAJOR}"
    return ", ".join([f"{least} {what}" for what, least in parts.items() if least] + [cuda] * (request.min_cuda > 0))


def _where(request: MachineRequest) -> str:
    where = ", ".join(request.regions) or "anywhere"
    return where if request.near is None else f"{where}, near {request.near}"
