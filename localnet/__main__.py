"""python -m localnet: the embedded cluster as a process."""

import argparse
import asyncio
import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from solders.pubkey import Pubkey

from localnet.account_files import load_accounts
from localnet.quirks import NAMES
from localnet.server import HOST, PORT, LocalCluster
from localnet.timeline import SLOT_MS


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="localnet", description="A Solana cluster in one process.")
    parser.add_argument("--host", default=HOST)
    parser.add_argument("--port", type=int, default=PORT, help="JSON-RPC; PubSub is on the next one; 0 picks a pair")
    parser.add_argument("--grpc-port", type=int, help="stream blocks as Yellowstone gRPC does; 0 picks a port")
    parser.add_argument("--data", type=Path, help="keep accounts and history in this directory and resume from it")
    parser.add_argument("--program", nargs=2, action="append", default=[], metavar=("ID", "PATH"))
    parser.add_argument("--upgrade-authority", type=Pubkey.from_string, help="may upgrade the programs; else final")
    parser.add_argument("--account-dir", type=Path, help="JSON files of accounts, as `solana account --output json`")
    parser.add_argument("--finality-lag", type=int, default=0, help="slots between a slot's end and its finality")
    parser.add_argument("--slot-ms", type=int, default=SLOT_MS, help="length of a slot in milliseconds")
    parser.add_argument(
        "--as", dest="quirks", action="append", default=[], choices=NAMES, help="behave as providers' nodes do"
    )
    parser.add_argument("--json", action="store_true", help="print the ready line as JSON")
    return parser.parse_args(arguments)


async def serve(options: argparse.Namespace) -> None:
    """Runs the cluster until SIGINT or SIGTERM."""
    local = LocalCluster(
        host=options.host,
        port=options.port,
        data=options.data,
        finality_lag=options.finality_lag,
        slot_ms=options.slot_ms,
        grpc_port=options.grpc_port,
        quirks=options.quirks,
    )
    for program, path in options.program:
        local.cluster.add_program(Pubkey.from_string(program), path, upgrade_authority=options.upgrade_authority)
    if options.account_dir is not None:
        for address, account in load_accounts(options.account_dir):
            local.cluster.set_account(address, account)
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)
    async with local:
        _announce(local, as_json=options.json)
        stopped = asyncio.create_task(stopping.wait())
        failed = asyncio.create_task(local.wait_closed())
        done, pending = await asyncio.wait([stopped, failed], return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()
        for task in done:
            task.result()


def _announce(local: LocalCluster, *, as_json: bool) -> None:
    genesis = str(local.cluster.blockhashes.genesis)
    if as_json:
        ready = {"ready": True, "rpc": local.http_url, "ws": local.ws_url, "genesisHash": genesis}
        line = json.dumps(ready | ({} if local.grpc_url is None else {"grpc": local.grpc_url}))
    else:
        line = f"localnet ready: RPC {local.http_url}  PubSub {local.ws_url}  genesis {genesis}"
    print(line, flush=True)


def main() -> None:
    """The entry point."""
    try:
        asyncio.run(serve(parse_arguments()))
    except OSError as error:
        sys.exit(f"localnet: {error}")


if __name__ == "__main__":
    main()
