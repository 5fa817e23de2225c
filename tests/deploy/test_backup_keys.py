"""Keys that are only in files are saved, lost with their machine, and put back: all continues as before."""

from __future__ import annotations

import shutil
import stat
import subprocess
import time
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from solders.keypair import Keypair

from anchor_client import orders
from anchor_client.orders import OrderDocument, Workload
from anchor_client.sealing import SealKey
from anchor_client.solana.wallet import Wallet
from host_agent.identity import SSH_KEY_FILE
from host_agent.ssh import SshIdentity
from indexer.accounts.signing_keys import SigningKey, load_keys
from indexer.api import sealed_orders
from indexer.api.main import create_app
from indexer.models import SealedOrder
from indexer.settings import IndexerSettings
from tests.deploy.test_backup import BACKUP, RESTORE, opened
from tests.docs.pages import ROOT
from tests.indexer.accounts.wallets import bearer, sign_in

BACKUP_KEYS, RESTORE_KEYS = (str(ROOT / "deploy" / f"{name}-keys.sh") for name in ("backup", "restore"))


def run(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


def delivered(url: str, key: SealKey) -> tuple[str, OrderDocument]:
    """An order that a renter has sealed to the host and the API keeps; whose it is, and what it says."""
    wallet = Wallet(Keypair())
    document = Workload(image="busybox", env={"TOKEN": "secret"}).for_renter(SealKey.generate().public)
    sent = orders.SealedOrder.signed(wallet, document.order_hash, document.sealed(key.public))
    kept = SealedOrder(
        renter=str(wallet.pubkey),
        order_hash=document.order_hash.hex(),
        sealed=sent.sealed,
        signed_at=sent.signed_at,
        signature=str(sent.signature),
        received_at=int(time.time()),
        kept_until=int(time.time()) + sealed_orders.UNCLAIMED_SECONDS,
    )
    engine = opened(url)
    with engine.begin() as connection:
        sealed_orders.keep(connection, kept)
    engine.dispose()
    return kept.renter, document


def test_backup_keys__machine_is_lost__same_machine_for_renters_who_stay_signed_in_and_orders_open(
    tmp_path: Path,
) -> None:
    machine, backups = tmp_path / "machine", tmp_path / "elsewhere"
    backups.mkdir()
    url = f"sqlite:///{machine}/index.db"
    seal_file, auth_file = machine / "etc/seal.key", machine / "lib/auth-keys"
    host_key = SealKey.generate()
    host_key.save(seal_file)
    fingerprint = SshIdentity.load_or_create(machine / "host" / SSH_KEY_FILE).key.get_fingerprint()
    renter, document = delivered(url, host_key)
    settings = IndexerSettings(database_url=url, auth_keys_file=str(auth_file), sign_in_domain="market.example")
    engine = opened(url)
    with TestClient(create_app(settings, engine=engine)) as api:
        tokens = sign_in(api, Keypair())
    engine.dispose()

    paths = (seal_file, machine / "host", auth_file)
    assert run(BACKUP_KEYS, backups / "keys.tar", *paths).returncode == 0
    assert stat.S_IMODE((backups / "keys.tar").stat().st_mode) == 0o600
    assert run(BACKUP, url, backups / "market.backup").returncode == 0
    shutil.rmtree(machine)
    (machine / "host").mkdir(parents=True)
    restored = run(RESTORE_KEYS, backups / "keys.tar")
    assert restored.returncode == 0, restored.stderr
    assert run(RESTORE, backups / "market.backup", url).returncode == 0

    files = (seal_file, machine / "host" / SSH_KEY_FILE, auth_file)
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert SshIdentity.load_or_create(files[1]).key.get_fingerprint() == fingerprint
    engine = opened(url)
    with engine.connect() as connection:
        kept = sealed_orders.find(connection, renter, document.order_hash.hex())
    assert kept is not None
    assert OrderDocument.opened(kept.sealed, SealKey.load(seal_file), document.order_hash) == document
    with TestClient(create_app(settings, engine=engine)) as api:
        assert api.get("/api/auth/me", headers=bearer(tokens)).status_code == 200
    engine.dispose()


def test_restore_keys__one_is_there__replaces_none(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for file in (first, second):
        file.write_text("saved")
    assert run(BACKUP_KEYS, tmp_path / "keys.tar", first, second).returncode == 0
    first.unlink()
    second.write_text("made since")
    refused = run(RESTORE_KEYS, tmp_path / "keys.tar")
    assert refused.returncode == 1 and f"{second} is there already" in refused.stderr
    assert not first.exists() and second.read_text() == "made since"


@pytest.mark.parametrize("path", ["{folder}/missing", "relative"])
def test_backup_keys__file_that_is_missing_or_has_no_place__keeps_the_older_backup(tmp_path: Path, path: str) -> None:
    backup = tmp_path / "keys.tar"
    backup.write_text("older")
    failed = run(BACKUP_KEYS, backup, path.format(folder=tmp_path))
    assert failed.returncode == 2 and backup.read_text() == "older"
    assert list(tmp_path.iterdir()) == [backup]


def test_auth_keys__line_that_the_readme_makes__is_one(tmp_path: Path) -> None:
    [line] = [
        line for line in (ROOT / "deploy/README.md").read_text().splitlines() if line.startswith('echo "$(openssl')
    ]
    command = line.replace("deploy/secrets/auth-keys", str(tmp_path / "auth-keys"))
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl")
    subprocess.run(["sh", "-c", command], check=True)
    (tmp_path / "auth-keys").chmod(0o400)
    [key] = load_keys(str(tmp_path / "auth-keys"))
    assert isinstance(key, SigningKey)
