"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Account


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Listing(Account):
    """A machine on offer, at seeds `"listing", host, id`."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("da2032492b861a3a")
    SIZE: ClassVar[int] = 552
    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "version": 8,
            "bump": 9,
            "visible": 10,
            "disk_kind": 11,
            "gpu_count": 12,
            "silence": 13,
            "answer_window": 14,
            "host": 16,
            "authority": 48,
            "current": 80,
            "challenger": 112,
            "seq": 144,
            "on_demand_usd": 152,
            "spot_min_usd": 160,
            "created_at": 168,
            "idle_since": 176,
            "last_heartbeat_at": 184,
            "tracked_seconds": 192,
            "up_seconds": 200,
            "rating_sum": 208,
            "rating_weight": 216,
            "paid_usd": 224,
            "id": 232,
            "mrl_seconds": 236,
            "net_up_mbps": 240,
            "net_down_mbps": 244,
            "disk_gb": 248,
            "disk_mbps": 252,
            "ram_gb": 256,
            "opened": 260,
            "completed": 264,
            "failed": 268,
            "gpu_model": 272,
            "region": 274,
            "vram_gb": 276,
            "cpu_cores": 278,
            "cuda": 280,
            "offline_after": 282,
            "points": 284,
            "preempt_at": 288,
            "challenge_from": 296,
            "bandwidth_usd": 304,
            "bandwidth_free_gb": 308,
            "storage_usd": 312,
            "score_round": 316,
            "refused": 320,
            "spec_version": 324,
            "counted_at": 328,
            "marked_at": 336,
            "answer_slot": 344,
            "owed_vault": 352,
            "owed": 384,
            "operator": 392,
            "finished": 424,
            "reference_usd": 428,
            "unoffered_since": 432,
            "keep_days": 440,
            "answer_slots": 442,
            "spot_grace": 444,
            "grace_left": 446,
            "is_bound": 448,
            "reserved": 449,
            "departed": 456,
            "departed_renter": 488,
            "matcher": 520,
        }
    )
    LAYOUT: ClassVar[Fields] = Fields(
        version=layouts.U8,
        bump=layouts.U8,
        visible=layouts.U8,
        disk_kind=layouts.U8,
        gpu_count=layouts.U8,
        silence=layouts.U8,
        answer_window=layouts.U16,
        host=layouts.PUBKEY,
        authority=layouts.PUBKEY,
        current=layouts.PUBKEY,
        challenger=layouts.PUBKEY,
        seq=layouts.U64,
        on_demand_usd=layouts.U64,
        spot_min_usd=layouts.U64,
        created_at=layouts.I64,
        idle_since=layouts.I64,
        last_heartbeat_at=layouts.I64,
        tracked_seconds=layouts.U64,
        up_seconds=layouts.U64,
        rating_sum=layouts.U64,
        rating_weight=layouts.U64,
        paid_usd=layouts.U64,
        id=layouts.U32,
        mrl_seconds=layouts.U32,
        net_up_mbps=layouts.U32,
        net_down_mbps=layouts.U32,
        disk_gb=layouts.U32,
        disk_mbps=layouts.U32,
        ram_gb=layouts.U32,
        opened=layouts.U32,
        completed=layouts.U32,
        failed=layouts.U32,
        gpu_model=layouts.U16,
        region=layouts.U16,
        vram_gb=layouts.U16,
        cpu_cores=layouts.U16,
        cuda=layouts.U16,
        offline_after=layouts.U16,
        points=layouts.U32,
        preempt_at=layouts.I64,
        challenge_from=layouts.I64,
        bandwidth_usd=layouts.U32,
        bandwidth_free_gb=layouts.U32,
        storage_usd=layouts.U32,
        score_round=layouts.U32,
        refused=layouts.U32,
        spec_version=layouts.U32,
        counted_at=layouts.I64,
        marked_at=layouts.I64,
        answer_slot=layouts.U64,
        owed_vault=layouts.PUBKEY,
        owed=layouts.U64,
        operator=layouts.PUBKEY,
        finished=layouts.U32,
        reference_usd=layouts.U32,
        unoffered_since=layouts.I64,
        keep_days=layouts.U16,
        answer_slots=layouts.U16,
        spot_grace=layouts.U16,
        grace_left=layouts.U16,
        is_bound=layouts.U8,
        reserved=layouts.byte_array(7),
        departed=layouts.PUBKEY,
        departed_renter=layouts.PUBKEY,
        matcher=layouts.PUBKEY,
    )

    version: int
    bump: int
    visible: int
    disk_kind: int
    gpu_count: int
    silence: int
    """See [`Silence`]."""
    answer_window: int
    """Seconds that the host has to answer a mark: under the current rental, or since the last mark while idle."""
    host: Pubkey
    authority: Pubkey
    """The host's wallet: it sets what is offered and at what price, and alone is paid."""
    current: Pubkey
    """The rental that occupies the machine; zero while idle."""
    challenger: Pubkey
    """The rental that waits to take over; zero without one."""
    seq: int
    on_demand_usd: int
    spot_min_usd: int
    created_at: int
    idle_since: int
    """When a rental that had started last left the machine."""
    last_heartbeat_at: int
    """When the host was last heard from, by a heartbeat or a settlement; zero until the first."""
    tracked_seconds: int
    up_seconds: int
    rating_sum: int
    """Sum of rating × weight, and of weights (micro-USD that the raters had paid), since the host last counted them."""
    rating_weight: int
    paid_usd: int
    """Micro-USD that renters themselves have paid since the host last counted them."""
    id: int
    mrl_seconds: int
    net_up_mbps: int
    net_down_mbps: int
    disk_gb: int
    disk_mbps: int
    ram_gb: int
    opened: int
    completed: int
    """Rentals that ended well, and those that failed by the host's fault, since the host last counted them."""
    failed: int
    gpu_model: int
    region: int
    vram_gb: int
    cpu_cores: int
    cuda: int
    """Highest CUDA version the driver runs: major × 100 + minor."""
    offline_after: int
    """Seconds of silence that the current rental allows."""
    points: int
    """GPU points of the machine."""
    preempt_at: int
    """When the challenger may take over; zero without one."""
    challenge_from: int
    """No order may begin to wait before this moment: the second after the last one that waited was withdrawn."""
    bandwidth_usd: int
    """Micro-USD per GB of outbound traffic above the allowance; zero charges nothing."""
    bandwidth_free_gb: int
    """GB of outbound traffic that the price includes, per rental."""
    storage_usd: int
    """Micro-USD per GB and hour of persistent storage; zero charges nothing."""
    score_round: int
    """The last of the host's scores that this listing was counted for."""
    refused: int
    """Orders that the host refused before the start, since the host last counted them."""
    spec_version: int
    """Number of changes to what the machine is or how long it keeps workspaces, from 1 on; an order names it."""
    counted_at: int
    """Until when the time has been counted; zero until the first heartbeat."""
    marked_at: int
    """When the host was last marked."""
    answer_slot: int
    """From which slot on the host's time to answer may be over."""
    owed_vault: Pubkey
    """The vault that keeps what the host is owed; zero when nothing is."""
    owed: int
    """Base units that the host could not be paid when a rental ended, until they are claimed."""
    operator: Pubkey
    """The key that serves the machine: it sends heartbeats, and accepts, starts, settles and gives up rentals."""
    finished: int
    """Finished rentals that still hold something back for the host."""
    reference_usd: int
    """Micro-USD per GPU-hour up to which the price is subsidised: the catalog's, as of the last change or refresh."""
    unoffered_since: int
    """Since when the machine is neither visible nor rented, which time does not count; zero while it is either."""
    keep_days: int
    """Days for which the host keeps what renters ask it to keep of their workspaces; zero keeps nothing."""
    answer_slots: int
    """The same in slots."""
    spot_grace: int
    """Seconds that the current rental keeps the machine once an order waits for it."""
    grace_left: int
    """Of them, what orders that were withdrawn have left."""
    is_bound: int
    """True if the order that waits has to take the machine before its renter may leave."""
    reserved: bytes
    departed: Pubkey
    """The rental that the host ended while an order waited for the machine, which compensates its renter; zero without
    one.
    """
    departed_renter: Pubkey
    """The wallet of its renter: its account may be gone."""
    matcher: Pubkey
    """Matcher of the request that the current rental was; read only while that rental owes them."""
