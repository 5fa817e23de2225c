"""`gpu-market upgrade`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from solders.pubkey import Pubkey

from anchor_client.deploy.binary import Binary
from anchor_client.deploy.errors import NotTheAuthority
from anchor_client.deploy.program import ProgramKeeper
from anchor_client.generated.pdas import find_governance
from anchor_client.solana.loader import upgrade as upgrading
from market_cli.acting import acting
from market_cli.commands.deploy.arguments import DryRun, Yes
from market_cli.commands.deploy.deploying import agree, binary_for, buffer_key, telling
from market_cli.session import CliSession
from market_cli.signing.unsigned import document_of, prepared, rows_of


@acting
async def upgrade(
    session: CliSession,
    file: Annotated[Path, typer.Argument(help="ELF file with the new code, as built by `make program`.")],
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """Replace the market's program, verified by hash; once stakers govern it, upload the code for a proposal.

    The wallet pays, and must be the upgrade authority unless governance is. Longer code gets more room. You can
    interrupt it at any point and run it again. With --unsigned AUTHORITY the wallet uploads the code and pays for it,
    and the transaction for that authority to sign is printed.
    """
    program = session.settings.program_id
    wallet = session.settings.wallet()
    binary = binary_for(program, file)
    keeper = ProgramKeeper(session.market.session.sender, wallet.keypair)
    found = await keeper.require(program)
    document = {"program_id": str(program), "sha256": binary.sha256, "bytes": len(binary.code)}
    if found.holds(binary.code):
        session.out.show(document | {"changed": False}, f"{program} already has this code.")
        return
    governance = find_governance(program)[0]
    if found.authority not in (session.elsewhere or wallet.pubkey, governance):
        raise NotTheAuthority(f"{found.authority or 'No one'} may upgrade {program}")
    by_vote = found.authority == governance
    how = "upload it for a proposal" if by_vote else "replace the program"
    if session.elsewhere is not None and not by_vote:
        how = f"upload it for {session.elsewhere} to replace the program"
    session.out.note(f"New code for {program}: {len(binary.code):,} bytes, sha256 {binary.sha256}; {how}.")
    if dry_run:
        session.out.show(document | {"changed": False, "by_vote": by_vote}, "Nothing was sent.")
        return
    agree(session, "Do this?", yes=yes)
    if by_vote:
        buffer = await _buffer(session, keeper, binary, governance)
        text = f"Propose it: gpu-market governance propose upgrade {buffer}"
        session.out.show(document | {"changed": False, "by_vote": True, "buffer": str(buffer)}, text)
        return
    if session.elsewhere is not None:
        buffer = await _buffer(session, keeper, binary, session.elsewhere)
        await keeper.make_room(found, binary)
        made = await prepared(
            session, session.elsewhere, [upgrading(program, buffer, wallet.pubkey, session.elsewhere)]
        )
        session.out.show(document | {"changed": False, "by_vote": False, **document_of(made)}, *rows_of(made))
        return
    sent = await keeper.upgrade(binary, buffer_key(program, binary), telling(session))
    tx = None if sent is None else str(sent.signature)
    session.out.show(document | {"changed": True, "by_vote": False, "tx": tx}, f"Upgraded {program}.")


async def _buffer(session: CliSession, keeper: ProgramKeeper, binary: Binary, authority: Pubkey) -> Pubkey:
    buffer = buffer_key(binary.program, binary)
    await keeper.write_buffer(binary, buffer, authority, telling(session))
    return buffer.pubkey()
