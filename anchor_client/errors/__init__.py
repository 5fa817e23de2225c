"""Every refusal and failure that a user of the client can meet: one clear line and a remedy each.

`base`      GpuMarketError, which all derive from
`input`     invalid input, detected before sending
`wallets`   keys and addresses that cannot be read
`network`   the RPC node, and the market's API
`landing`   whether a transaction landed
`program`   refusals of the market's program: its generated errors, each with a remedy
`runtime`   refusals of the runtime and of the token, system and associated-token programs
`decode`    from a failed transaction to one of the above
"""

from anchor_client.errors.base import GpuMarketError
from anchor_client.errors.decode import decode_failure
from anchor_client.errors.input import (
    InsufficientBalance,
    InvalidOrder,
    NoCatalog,
    NoPool,
    NoStake,
    NothingAvailable,
    OrderNotSealed,
    OrderNotSigned,
    SubsidyShort,
    TemplateMissing,
    TooFewTokens,
    UnknownGpu,
    UnknownHost,
    UnknownIssue,
    UnknownJob,
    UnknownKind,
    UnknownListing,
    UnknownMarket,
    UnknownMeter,
    UnknownPaymentToken,
    UnknownProposal,
    UnknownRegion,
    UnknownRequest,
    UnknownVault,
    WalletNeeded,
)
from anchor_client.errors.landing import (
    DetailsUnavailable,
    OutcomeUnknown,
    TransactionExpired,
    TransactionTooLarge,
)
from anchor_client.errors.network import (
    ApiRefused,
    RateLimited,
    RpcRefused,
    UnreachableApi,
    UnreachableRpc,
    WrongApi,
    WrongEndpoint,
)
from anchor_client.errors.program import ProgramRefusal, refusal
from anchor_client.errors.runtime import (
    AccountAddressTaken,
    AccountBusy,
    InsufficientLamports,
    TransactionRefused,
)
from anchor_client.errors.wallets import BadAddress, BadKeyFile, KeyFileExists

__all__ = [
    "AccountAddressTaken",
    "AccountBusy",
    "ApiRefused",
    "BadAddress",
    "BadKeyFile",
    "DetailsUnavailable",
    "GpuMarketError",
    "InsufficientBalance",
    "InsufficientLamports",
    "InvalidOrder",
    "KeyFileExists",
    "NoCatalog",
    "NoPool",
    "NoStake",
    "NothingAvailable",
    "OrderNotSealed",
    "OrderNotSigned",
    "OutcomeUnknown",
    "ProgramRefusal",
    "RateLimited",
    "RpcRefused",
    "SubsidyShort",
    "TemplateMissing",
    "TooFewTokens",
    "TransactionExpired",
    "TransactionRefused",
    "TransactionTooLarge",
    "UnknownGpu",
    "UnknownHost",
    "UnknownIssue",
    "UnknownJob",
    "UnknownKind",
    "UnknownListing",
    "UnknownMarket",
    "UnknownMeter",
    "UnknownPaymentToken",
    "UnknownProposal",
    "UnknownRegion",
    "UnknownRequest",
    "UnknownVault",
    "UnreachableApi",
    "UnreachableRpc",
    "WalletNeeded",
    "WrongApi",
    "WrongEndpoint",
    "decode_failure",
    "refusal",
]
