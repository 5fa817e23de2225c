"""Common parts of the commands around a program: its code, the node of a file's cluster, and progress messages."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import typer
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.deploy.binary import Binary
from anchor_client.deploy.errors import Declined
from anchor_client.deploy.upload import Progress
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.market import Market
from anchor_client.solana.wallet import Wallet
from local_market.program import PROGRAM_PATH
from market_cli.paths import upload_directory
from market_cli.session import CliSession
from market_cli.settings.cluster import ClusterSettings, resolve


def settings_for(session: CliSession, cluster: str) -> ClusterSettings:
    """The settings for a cluster; the command line and the environment override it. The errors of `resolve`."""
    return resolve(session.flags, cluster=cluster)


async def connected(stack: AsyncExitStack, settings: ClusterSettings, program: Pubkey) -> Market:
    """A market's client at the node of some settings, closed with the stack."""
    return await stack.enter_async_context(
        Market.connect(settings.rpc_url, ws_url=settings.ws_url, program_id=program, rpc_rate=settings.rpc_rate)
    )


def binary_for(program: Pubkey, file: Path | None) -> Binary:
    """A file's code, or the committed build, for a program's address. BadProgramFile."""
    return Binary.read(file or PROGRAM_PATH, program, PROGRAM_ID).at(program)


def buffer_key(program: Pubkey, binary: Binary) -> Keypair:
    """The key of the upload's buffer, kept so that the upload can resume after an interruption."""
    return kept_key(f"{program}-{binary.sha256[:16]}")


def kept_key(name: str) -> Keypair:
    """The key of an upload, created the first time."""
    path = upload_directory() / f"{name}.json"
    wallet = Wallet.from_file(path) if path.exists() else Wallet.generate(path)
    return wallet.keypair


def agree(session: CliSession, question: str, *, yes: bool) -> None:
    """Asks for confirmation unless it is already given. Declined."""
    if yes:
        return
    if session.flags.json or not typer.confirm(question, err=True):
        raise Declined("The plan was not confirmed")


def telling(session: CliSession) -> Progress:
    """Reports an upload's progress in tenths."""
    told = -1

    def tell(done: int, total: int) -> None:
        nonlocal told
        tenth = done * 10 // total
        if tenth > told:
            told = tenth
            session.out.note(f"  {done:,} of {total:,} bytes")

    return tell
