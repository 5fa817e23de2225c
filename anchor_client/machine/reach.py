"""A request to the market's API to try a machine's ports from outside, signed by the key that serves it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256

from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.api.market import MarketApi
from anchor_client.errors import ReachNotSigned
from anchor_client.solana.wallet import Wallet


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """A machine's address and the ports to try, each with proof that it is the machine's own."""

    host: str
    ssh: int
    token: str
    """Text, in hex, that each of the `plain` ports answers an HTTP request with."""
    plain: tuple[int, ...] = ()
    certificate: str
    """SHA-256, in hex, of the certificate that each of the `tls` ports shows."""
    tls: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SignedReach:
    """A request for a listing and its signature at `signed_at`, milliseconds since 1970."""

    listing: Pubkey
    reach: Reach
    signed_at: int
    signature: Signature

    @classmethod
    def signed(cls, wallet: Wallet, listing: Pubkey, reach: Reach, signed_at: int | None = None) -> SignedReach:
        """A request that the wallet, the listing's operator, signs now unless another time is named."""
        at = int(time.time() * 1_000) if signed_at is None else signed_at
        return cls(listing, reach, at, wallet.keypair.sign_message(statement(listing, reach, at)))

    def verify(self, operator: Pubkey) -> None:
        """Raises ReachNotSigned unless the operator has signed exactly this."""
        if not self.signature.verify(operator, statement(self.listing, self.reach, self.signed_at)):
            raise ReachNotSigned(f"{operator}, who serves {self.listing}, has not signed this request")


def statement(listing: Pubkey, reach: Reach, signed_at: int) -> bytes:
    """The text that the operator signs: three lines in UTF-8. The digest is of the request as JSON with sorted keys and
    no spaces."""
    digest = sha256(json.dumps(asdict(reach), sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    return f"gpu-market reach {listing}\nsha256 {digest}\nsigned at {signed_at}".encode()


class ReachApi(MarketApi):
    """Asks an API to try ports; an async context manager. UnreachableApi, WrongApi, ApiRefused."""

    async def reached(self, signed: SignedReach) -> list[int]:
        """The ports that the API has reached from where it is."""
        document: Mapping[str, object] = {
            "reach": asdict(signed.reach),
            "signed_at": signed.signed_at,
            "signature": str(signed.signature),
        }
        answer = await self.ask("POST", f"/api/marketplace/listings/{signed.listing}/reach", dict(document))
        if not answer.is_success:
            raise self.failure(answer)
        return [int(port) for port in json.loads(answer.text)["reached"]]
