"""Requests as they stand and as they ended."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace

from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.errors import UnknownRequest
from anchor_client.generated.accounts import Request
from anchor_client.generated.constants import ANY_REGION
from anchor_client.generated.events import RequestCancelled, RequestExpired, RequestMatched, RequestOpened
from anchor_client.generated.pdas import find_rental
from anchor_client.generated.types import RentalKind
from anchor_client.kinds import REQUEST_MESSAGES, RequestState
from anchor_client.market.area import Area
from anchor_client.rules.catalog import GPU_BY_ID, REGIONS, Region
from anchor_client.transactions.details import TransactionDetails, read_details


@dataclass(frozen=True, slots=True)
class MachineRequest:
    """An order for any machine of a kind. `deposit` and `refunded` are base units of `mint`, times unix seconds.

    `rental` is the address that its rental has or would have; `max_usd` the most a machine-hour may cost, micro-USD.
    """

    id: Pubkey
    state: RequestState
    renter: Pubkey
    rental: Pubkey
    mint: Pubkey
    token: str
    kind: RentalKind
    gpu: str
    gpu_count: int
    regions: tuple[str, ...]
    """Where the machine may be; anywhere when empty."""
    near: str | None
    min_score_bps: int
    duration: int
    max_usd: int
    deposit: int
    created_at: int
    expires_at: int
    order_hash: bytes
    open_tx: Signature | None = None
    ended_at: int | None = None
    end_tx: Signature | None = None
    listing: Pubkey | None = None
    refunded: int = 0

    @property
    def message(self) -> str:
        """The state in words."""
        return REQUEST_MESSAGES[self.state]

    @property
    def is_open(self) -> bool:
        """Whether it still waits for a machine."""
        return self.state is RequestState.OPEN


class Requests(Area):
    """Requests of anyone, open or ended. Every method raises the network's errors."""

    async def get(self, request: Pubkey) -> MachineRequest:
        """A request as it stands or as it ended. UnknownRequest when none was ever at this address."""
        account = await self.reads.program.read(Request, request)
        if account is not None:
            tokens = await self.reads.tokens()
            return open_request(request, account, tokens.symbol(account.mint), self.program_id)
        found: MachineRequest | None = None
        history = self.session.history
        for signature in await history.signatures(request):
            details = await read_details(
                history.client, signature, commitment=history.commitment, program_id=history.program_id
            )
            found = await self.told(request, details, found)
        if found is None:
            raise UnknownRequest(f"No request has ever been at {request}")
        return found

    async def list(self, renter: Pubkey) -> Sequence[MachineRequest]:
        """The open requests of a wallet, newest first."""
        accounts = await self.reads.requests(renter=renter)
        tokens = await self.reads.tokens()
        found = [
            open_request(address, account, tokens.symbol(account.mint), self.program_id)
            for address, account in accounts.items()
        ]
        return sorted(found, key=lambda request: (request.created_at, bytes(request.id)), reverse=True)

    async def watch(self, request: Pubkey) -> AsyncGenerator[MachineRequest, None]:
        """The request as it stands, then as it ended, if it has not yet. UnknownRequest.

        Woken by the node's account notifications, and by time when there are none.
        """
        told = False
        async with self.session.wakeups.of(request) as wakeups:
            async for _ in wakeups:
                found = await self.get(request)
                if not told or not found.is_open:
                    told = True
                    yield found
                if not found.is_open:
                    return

    async def told(
        self, request: Pubkey, details: TransactionDetails, before: MachineRequest | None = None
    ) -> MachineRequest | None:
        """The request after a transaction."""
        tokens = await self.reads.tokens()
        for event in details.events:
            if getattr(event, "request", None) != request:
                continue
            if isinstance(event, RequestOpened):
                before = _opened(event, details.signature, tokens.symbol(event.mint), self.program_id)
            elif before is not None:
                before = ended(before, event, details.signature)
        return before


def ended(request: MachineRequest, event: object, signature: Signature) -> MachineRequest:
    """The request after the event that ended it."""
    match event:
        case RequestMatched():
            request = replace(request, state=RequestState.MATCHED, listing=event.listing)
        case RequestCancelled():
            request = replace(request, state=RequestState.CANCELLED)
        case RequestExpired():
            request = replace(request, state=RequestState.EXPIRED)
        case _:
            return request
    return replace(request, refunded=event.refunded, ended_at=event.at, end_tx=signature)


def open_request(address: Pubkey, account: Request, token: str, program_id: Pubkey) -> MachineRequest:
    """The request of an account."""
    return MachineRequest(
        id=address,
        state=RequestState.OPEN,
        renter=account.renter,
        rental=find_rental(account.renter, account.nonce, program_id)[0],
        mint=account.mint,
        token=token,
        kind=RentalKind(account.kind),
        gpu=gpu_name(account.gpu_model),
        gpu_count=account.gpu_count,
        regions=region_slugs(account.regions),
        near=near_slug(account.near_region),
        min_score_bps=account.min_score_bps,
        duration=account.duration,
        max_usd=account.max_usd,
        deposit=account.deposit,
        created_at=account.created_at,
        expires_at=account.expires_at,
        order_hash=account.order_hash,
    )


def _opened(event: RequestOpened, signature: Signature, token: str, program_id: Pubkey) -> MachineRequest:
    order = event.order
    return MachineRequest(
        id=event.request,
        state=RequestState.OPEN,
        renter=event.renter,
        rental=find_rental(event.renter, event.nonce, program_id)[0],
        mint=event.mint,
        token=token,
        kind=order.kind,
        gpu=gpu_name(order.gpu_model),
        gpu_count=order.gpu_count,
        regions=region_slugs(order.regions),
        near=near_slug(order.near_region),
        min_score_bps=order.min_score_bps,
        duration=order.duration,
        max_usd=order.max_usd,
        deposit=order.deposit,
        created_at=event.at,
        expires_at=order.expires_at,
        order_hash=order.order_hash,
        open_tx=signature,
    )


def region_mask(regions: Sequence[Region]) -> int:
    """One bit for each region; zero for none, which takes any."""
    return sum({1 << region.id for region in regions})


def region_slugs(mask: int) -> tuple[str, ...]:
    """The catalog's regions in a mask."""
    return tuple(region.slug for region in REGIONS if mask >> region.id & 1)


def gpu_name(number: int) -> str:
    """The slug of a model; its number when the catalog has no such model."""
    return GPU_BY_ID[number].slug if number in GPU_BY_ID else str(number)


def near_slug(number: int) -> str | None:
    """The slug of the region to be near to; None for none, its number when the catalog has no such region."""
    if number == ANY_REGION:
        return None
    return next((region.slug for region in REGIONS if region.id == number), str(number))
