"""Every refusal and failure that a user of the client can meet: one clear line and a remedy each.

`base`      GpuMarketError, which all derive from
`input`     what is wrong with what was asked for
`wallets`   keys and addresses that cannot be read
`network`   the RPC node
`landing`   what became of a transaction
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
    RateLimited,
    RpcRefused,
    UnreachableRpc,
    WrongEndpoint,
)
from anchor_client.errors.program import REMEDIES, ProgramRefusal, refusal
from anchor_client.errors.runtime import (
    AccountAddressTaken,
    AccountBusy,
    AccountMissing,
    AlreadyProcessed,
    BlockhashExpired,
    ComputeExceeded,
    InstructionRefused,
    InsufficientLamports,
    MissingSignature,
    ProgramMissing,
    SystemProgramRefusal,
    TokenAccountFrozen,
    TokenBalanceTooLow,
    TokenMintMismatch,
    TokenOwnerMismatch,
    TokenProgramRefusal,
    TransactionRefused,
)
from anchor_client.errors.wallets import BadAddress, BadKeyFile, KeyFileExists

__all__ = [
    "REMEDIES",
    "AccountAddressTaken",
    "AccountBusy",
    "AccountMissing",
    "AlreadyProcessed",
    "BadAddress",
    "BadKeyFile",
    "BlockhashExpired",
    "ComputeExceeded",
    "DetailsUnavailable",
    "GpuMarketError",
    "InstructionRefused",
    "InsufficientBalance",
    "InsufficientLamports",
    "InvalidOrder",
    "KeyFileExists",
    "MissingSignature",
    "NoCatalog",
    "NoPool",
    "NoStake",
    "NothingAvailable",
    "OrderNotSealed",
    "OutcomeUnknown",
    "ProgramMissing",
    "ProgramRefusal",
    "RateLimited",
    "RpcRefused",
    "SubsidyShort",
    "SystemProgramRefusal",
    "TemplateMissing",
    "TokenAccountFrozen",
    "TokenBalanceTooLow",
    "TokenMintMismatch",
    "TokenOwnerMismatch",
    "TokenProgramRefusal",
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
    "UnreachableRpc",
    "WalletNeeded",
    "WrongEndpoint",
    "decode_failure",
    "refusal",
]
