"""Refusals of the runtime and of the programs that the market calls."""

from __future__ import annotations

from anchor_client.service.errors import GpuMarketError


class TransactionRefused(GpuMarketError):
    """The runtime refused a transaction. `logs` are the program's, up to the failure."""

    default_remedy = "Send it again; if it persists, report it with the transaction's logs."

    def __init__(self, message: str, logs: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.logs = logs


class InsufficientLamports(TransactionRefused):
    """The wallet cannot pay the fee, the rent of a new account, or what it transfers."""

    default_remedy = "Add SOL to the wallet; on localnet and devnet `gpu-market wallet airdrop` does."


class BlockhashExpired(TransactionRefused):
    """The transaction's blockhash is too old or not known yet."""

    default_remedy = "Build the transaction again on a fresh blockhash."


class AlreadyProcessed(TransactionRefused):
    """The transaction has already landed."""

    default_remedy = "Nothing to do: look up its signature."


class AccountBusy(TransactionRefused):
    """The cluster has no room left in this block for the accounts that the transaction writes."""

    default_remedy = "Send it again in a few seconds, or raise the maximum priority fee."


class MissingSignature(TransactionRefused):
    """A signature is missing or wrong."""

    default_remedy = "Sign with the wallet that the transaction names."


class ProgramMissing(TransactionRefused):
    """A program that the transaction calls is not on this cluster."""

    default_remedy = "Check --rpc or --cluster and the program id; on a laptop `gpu-market up` starts a market."


class ComputeExceeded(TransactionRefused):
    """The transaction ran out of compute units."""

    default_remedy = "Send fewer instructions per transaction."


class InstructionRefused(TransactionRefused):
    """An instruction failed with an error that is not the program's own."""

    default_remedy = "Check that the accounts exist on this cluster and are of the expected kind."


class AccountMissing(InstructionRefused):
    """An account that an instruction reads does not exist or is of another kind."""

    default_remedy = "Check the addresses and the cluster; a rental that has ended no longer has an account."


class AccountAddressTaken(InstructionRefused):
    """An account that would be created already exists."""

    default_remedy = "Nothing to do if it is yours: it has already been created."


class SystemProgramRefusal(InstructionRefused):
    """The system program refused a transfer or a new account."""


class TokenProgramRefusal(InstructionRefused):
    """The token program refused."""

    default_remedy = "Check the token accounts of the wallet."


class TokenBalanceTooLow(TokenProgramRefusal):
    """A token account holds less than the transfer needs."""

    default_remedy = "Add tokens to the wallet, or pay in another token."


class TokenMintMismatch(TokenProgramRefusal):
    """A token account holds another mint."""


class TokenOwnerMismatch(TokenProgramRefusal):
    """A token account belongs to someone else."""


class TokenAccountFrozen(TokenProgramRefusal):
    """The mint's freeze authority has frozen the token account."""

    default_remedy = "Ask the token's issuer, or pay in another token."
