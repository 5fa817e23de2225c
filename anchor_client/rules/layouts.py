"""The versions of accounts' layouts that this client knows. Twin of `programs/gpu_market/src/layout.rs`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from anchor_client.generated import accounts
from anchor_idl.runtime.structs import Account

VERSIONS: Final[Mapping[type[Account], int]] = {
    accounts.Catalog: 1,
    accounts.GpuModel: 1,
    accounts.Host: 1,
    accounts.Listing: 1,
    accounts.Market: 1,
    accounts.Meter: 1,
    accounts.PaymentMint: 1,
    accounts.Proposal: 1,
    accounts.Rental: 1,
    accounts.RenterProfile: 1,
    accounts.Request: 1,
    accounts.StakeAccount: 1,
    accounts.StakePool: 1,
    accounts.Vault: 1,
    accounts.VoteRecord: 1,
}
