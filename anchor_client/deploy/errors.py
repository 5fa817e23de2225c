"""Errors of deploying a program and of opening a market."""

from __future__ import annotations

from anchor_client.service.errors import GpuMarketError


class BadMarketFile(GpuMarketError):
    """Invalid market file."""

    default_remedy = "Correct the named entry; `gpu-market deploy init` writes a file with all of them."


class BadProgramFile(GpuMarketError):
    """A file holds no program of this market."""

    default_remedy = "Name an ELF file built by `make program`, or omit the entry to use the committed build."


class WrongCluster(GpuMarketError):
    """The node serves another cluster than the file or the settings say."""

    default_remedy = "Check --cluster and --rpc: they must be of the cluster that the file names."


class MarketForTestsOnMainnet(GpuMarketError):
    """A market for tests has no place on mainnet."""

    default_remedy = "Set testing = false: short votes and timelocks would let a few stakers take the market over."


class NotTheAuthority(GpuMarketError):
    """Another key has the right to do this."""

    default_remedy = "Sign with that key (--keypair), or propose the change if governance has it."


class ProgramUnknown(GpuMarketError):
    """There is no upgradeable program at an address."""

    default_remedy = "Check the address and the cluster; `gpu-market deploy market.toml` deploys one."


class ProgramDiffers(GpuMarketError):
    """The cluster has other code at the address than the file."""

    default_remedy = "To replace it, run `gpu-market upgrade FILE`."


class UploadStalled(GpuMarketError):
    """Parts of the code do not arrive on the cluster."""

    default_remedy = "Run the command again: it resumes where this one stopped. A node of your own (--rpc) is faster."


class WalletTooPoor(GpuMarketError):
    """The wallet has less than the plan costs."""

    default_remedy = "Send it SOL; on devnet and localnet `gpu-market wallet airdrop` does."


class Declined(GpuMarketError):
    """A plan that was not agreed to."""

    default_remedy = "Nothing was sent. Add --yes to skip the confirmation."


class MarketTaken(GpuMarketError):
    """The cluster has this market already, with something that cannot be changed."""

    default_remedy = "Make the file match the cluster, or deploy to a program address of its own."


class BadSecurityFile(GpuMarketError):
    """A file does not say what a program's security metadata is to say."""

    default_remedy = "Correct the named entry; deploy/security.json has them all."


class MetadataProgramMissing(GpuMarketError):
    """The cluster has no Program Metadata program."""

    default_remedy = "Devnet and mainnet have it. A cluster of your own has it if it was started with it."


class MetadataFinal(GpuMarketError):
    """The published metadata was made final."""

    default_remedy = "Nothing can replace it; publish the change elsewhere."
