"""A host's measurements of a machine, signed by the key that serves it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256

from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.api.market import MarketApi
from anchor_client.errors import FiguresNotSigned
from anchor_client.solana.wallet import Wallet


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Figures of the slowest of the machine's GPUs; None where not measured."""

    spec_version: int
    """The listing's: what the machine was said to be when it was measured."""
    tested: bool = False
    """True if the machine has passed `gpu-market host test`, by its host's word."""
    driver: str | None = None
    pcie_generation: int | None = None
    pcie_width: int | None = None
    fp32_gflops: int | None = None
    gemm_gflops: int | None = None
    vram_mb_per_second: int | None = None
    pcie_mb_per_second: int | None = None
    disk_mbps: int | None = None
    """MB/s written, as listings say it."""
    network_mbps: int | None = None
    """Mbit/s downloaded, as listings say it."""


@dataclass(frozen=True, slots=True)
class SignedFigures:
    """Figures of a listing and their signature at `signed_at`, milliseconds since 1970."""

    listing: Pubkey
    figures: Figures
    signed_at: int
    signature: Signature

    @classmethod
    def signed(cls, wallet: Wallet, listing: Pubkey, figures: Figures, signed_at: int | None = None) -> SignedFigures:
        """Figures that the wallet, the listing's operator, signs now unless another time is named."""
        at = int(time.time() * 1_000) if signed_at is None else signed_at
        return cls(listing, figures, at, wallet.keypair.sign_message(statement(listing, figures, at)))

    def verify(self, operator: Pubkey) -> None:
        """Raises FiguresNotSigned unless the operator has signed exactly this."""
        if not self.signature.verify(operator, statement(self.listing, self.figures, self.signed_at)):
            raise FiguresNotSigned(f"{operator}, who serves {self.listing}, has not signed these figures")


def statement(listing: Pubkey, figures: Figures, signed_at: int) -> bytes:
    """The text that the operator signs: three lines in UTF-8. The digest is of the figures as JSON with sorted keys
    and no spaces, nulls included."""
    text = json.dumps(asdict(figures), sort_keys=True, separators=(",", ":"))
    digest = sha256(text.encode()).hexdigest()
    return f"gpu-market figures {listing}\nsha256 {digest}\nsigned at {signed_at}".encode()


class FiguresApi(MarketApi):
    """Hands figures over at an API's URL; an async context manager. UnreachableApi, WrongApi, ApiRefused."""

    async def publish(self, signed: SignedFigures) -> None:
        """Replaces the listing's figures by newer ones."""
        document: Mapping[str, object] = {
            "figures": asdict(signed.figures),
            "signed_at": signed.signed_at,
            "signature": str(signed.signature),
        }
        answer = await self.ask("PUT", f"/api/marketplace/listings/{signed.listing}/figures", dict(document))
        if not answer.is_success:
            raise self.failure(answer)
