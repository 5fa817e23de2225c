"""Tokens: short ones that say who asks, and ones that renew them once."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jwt
import pytest
from fastapi.testclient import TestClient
from solders.keypair import Keypair
from sqlalchemy import Engine, func, select

from indexer.accounts.access_tokens import ACCESS_SECONDS, ALGORITHM, LEEWAY_SECONDS
from indexer.accounts.models import RefreshToken, SignIn
from indexer.accounts.secrets import digest_of
from indexer.accounts.sign_ins import MAX_SIGN_INS, SIGN_IN_SECONDS
from indexer.accounts.signing_keys import SigningKey, load_keys
from indexer.api.main import create_app
from indexer.errors import AuthKeysUnusable
from tests.indexer.accounts.conftest import SETTINGS
from tests.indexer.accounts.wallets import bearer, sign_in
from tests.indexer.databases import on_both_databases

After = Callable[[float], None]


def renewed(api: TestClient, tokens: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    answer = api.post("/api/auth/refresh", json={"refresh_token": tokens["refresh_token"]})
    return answer.status_code, answer.json()


@on_both_databases
def test_refresh__newest_token__gives_the_next(api: TestClient, engine: Engine, wallet: Keypair) -> None:
    first = sign_in(api, wallet)
    status, second = renewed(api, first)
    assert status == 200 and second["refresh_token"] != first["refresh_token"]
    assert api.get("/api/auth/keys", headers=bearer(second)).status_code == 200
    with engine.connect() as connection:
        kept = connection.execute(select(RefreshToken.c.digest)).scalars().all()
    assert sorted(kept) == sorted(digest_of(tokens["refresh_token"]) for tokens in (first, second))


@on_both_databases
def test_refresh__token_used_before__ends_the_sign_in_and_no_other(api: TestClient, wallet: Keypair) -> None:
    first, other = sign_in(api, wallet), sign_in(api, wallet)
    _, second = renewed(api, first)
    status, told = renewed(api, first)
    assert (status, told["error"]) == (401, "refresh_token_reused")
    status, told = renewed(api, second)
    assert (status, told["error"]) == (401, "invalid_refresh_token")
    assert api.get("/api/auth/keys", headers=bearer(second)).json()["error"] == "invalid_token"
    assert renewed(api, other)[0] == 200


def test_refresh__unknown__is_refused(api: TestClient) -> None:
    status, told = renewed(api, {"refresh_token": "gpumr_" + "A" * 43})
    assert (status, told["error"]) == (401, "invalid_refresh_token")


def test_refresh__after_a_month__is_refused_however_often_renewed(
    api: TestClient, wallet: Keypair, after: After
) -> None:
    tokens = sign_in(api, wallet)
    for _ in range(2):
        after(SIGN_IN_SECONDS / 2 - 10)
        status, tokens = renewed(api, tokens)
        assert status == 200
    after(30)
    assert renewed(api, tokens)[0] == 401


def test_sign_out__tokens_of_the_sign_in__count_no_more(api: TestClient, wallet: Keypair) -> None:
    tokens, other = sign_in(api, wallet), sign_in(api, wallet)
    answer = api.post("/api/auth/sign-out", headers=bearer(tokens))
    assert (answer.status_code, answer.content) == (204, b"")
    assert renewed(api, tokens)[0] == 401
    assert api.post("/api/auth/keys", json={"name": "x", "scopes": ["read"]}, headers=bearer(tokens)).status_code == 401
    assert renewed(api, other)[0] == 200


def test_access__expired__is_refused_everywhere(api: TestClient, wallet: Keypair, after: After) -> None:
    tokens = sign_in(api, wallet)
    assert api.get("/api/gpus", headers=bearer(tokens)).status_code == 200
    now = int(time.time())
    old = forged(api, wallet, iat=now - 2 * ACCESS_SECONDS, exp=now - LEEWAY_SECONDS - 5)
    for path in ("/api/gpus", "/api/auth/me", "/nowhere"):
        answer = api.get(path, headers={"Authorization": f"Bearer {old}"})
        assert (answer.status_code, answer.json()["error"]) == (401, "invalid_token")
        assert answer.headers["www-authenticate"] == "Bearer" and "expired" in answer.json()["detail"]


def forged(
    api: TestClient,
    wallet: Keypair,
    *,
    key: bytes | None = None,
    alg: str = ALGORITHM,
    kid: object = None,
    **changed: Any,
) -> str:
    """A token as the API makes it, but for what is changed."""
    own: SigningKey = api.app.state.signing_keys[0]  # type: ignore[attr-defined]
    now = int(time.time())
    told = {"sub": str(wallet.pubkey()), "sid": "1", "aud": "market.example", "iat": now, "exp": now + 60} | changed
    claims = {name: value for name, value in told.items() if value is not None}
    secret = None if alg == "none" else key or own.secret
    return jwt.encode(claims, secret, alg, headers={"kid": own.id if kid is None else kid})


@pytest.mark.parametrize(
    "changed",
    [
        {"key": b"x" * 32},
        {"alg": "none"},
        {"alg": "HS512", "key": b"x" * 64},
        {"kid": "another"},
        {"aud": "evil.example"},
        {"aud": None},
        {"exp": None},
        {"sub": None},
        {"sid": None},
        {"iat": 2**40},
    ],
    ids=str,
)
def test_access__token_of_another_kind__is_refused(api: TestClient, wallet: Keypair, changed: dict[str, Any]) -> None:
    assert api.get("/api/auth/me", headers={"Authorization": f"Bearer {forged(api, wallet)}"}).status_code == 200
    answer = api.get("/api/auth/me", headers={"Authorization": f"Bearer {forged(api, wallet, **changed)}"})
    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_token")


@pytest.mark.parametrize("header", ["", "Bearer", "Basic eA==", "Bearer x.y.z", "Bearer " + "A" * 5_000, "Bearer é"])
def test_access__header_that_is_none__is_refused(api: TestClient, header: str) -> None:
    answer = api.get("/api/gpus", headers={"Authorization": header.encode()})
    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_token")


def test_keys__rotated__accept_what_the_old_one_made(sqlite_engine: Engine, tmp_path: Path, wallet: Keypair) -> None:
    file = tmp_path / "auth.keys"
    settings = replace(SETTINGS, auth_keys_file=str(file))

    def served() -> TestClient:
        return TestClient(create_app(settings, engine=sqlite_engine))

    with served() as api:
        tokens = sign_in(api, wallet)
    assert file.stat().st_mode & 0o777 == 0o600
    old, new = file.read_text(), SigningKey.new()
    file.write_text(f"{new}\n{old}")
    with served() as api:
        assert api.get("/api/auth/me", headers=bearer(tokens)).status_code == 200
        assert jwt.get_unverified_header(sign_in(api, wallet)["access_token"])["kid"] == new.id
    file.write_text(f"{new}\n")
    with served() as api:
        assert api.get("/api/auth/me", headers=bearer(tokens)).status_code == 401


@pytest.mark.parametrize(
    ("content", "mode"),
    [
        ("", 0o600),
        ("a short", 0o600),
        ("nonsense", 0o600),
        (f"{SigningKey('a', b'x' * 32)}\n" * 2, 0o600),
        (None, 0o640),
    ],
)
def test_keys__file_that_others_may_read_or_of_another_form__is_refused(
    tmp_path: Path, content: str | None, mode: int
) -> None:
    file = tmp_path / "auth.keys"
    file.write_text(f"{SigningKey.new()}\n" if content is None else content)
    file.chmod(mode)
    with pytest.raises(AuthKeysUnusable):
        load_keys(str(file))


@pytest.mark.parametrize(("mode", "is_usable"), [(0o440, True), (0o400, True), (0o460, False), (0o444, False)])
def test_keys__another_users_file__may_be_shared_with_the_group_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, is_usable: bool
) -> None:
    file, key = tmp_path / "auth.keys", SigningKey.new()
    file.write_text(f"{key}\n")
    file.chmod(mode)
    monkeypatch.setattr("os.geteuid", lambda: file.stat().st_uid + 1)
    with contextlib.nullcontext() if is_usable else pytest.raises(AuthKeysUnusable):
        assert load_keys(str(file)) == (key,)


def test_key__shown__tells_no_secret() -> None:
    key = SigningKey.new()
    assert key.secret.hex() not in repr(key) and repr(key.secret) not in repr(key)


@pytest.mark.exhaustive
def test_sign_ins__very_many__forget_the_oldest(api: TestClient, engine: Engine, wallet: Keypair) -> None:
    for _ in range(MAX_SIGN_INS + 2):
        sign_in(api, wallet)
    with engine.connect() as connection:
        counts = [connection.scalar(select(func.count()).select_from(each.table)) for each in (SignIn, RefreshToken)]
    assert counts == [MAX_SIGN_INS, MAX_SIGN_INS]
