"""The dashboard's built files and how the API serves them."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from hashlib import sha256

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from indexer.api.main import create_app
from indexer.dashboard.files import ALWAYS_ASKED, ASSETS, FOLDER, FOREVER, INDEX, SECURITY, TERMINAL, built
from indexer.settings import IndexerSettings

FIRST_VIEW_BYTES = 120_000
"""In gzip: what the market's page needs, with its font and the wallet's and newcomer's buttons; charts and signing come
later."""
HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
LINKED = re.compile(r"assets/[\w.-]+")


@pytest.fixture
def api(engine: Engine) -> Iterator[TestClient]:
    with TestClient(create_app(IndexerSettings(), engine=engine)) as client:
        yield client


def sent(name: str) -> int:
    """Bytes of a file as a browser gets it."""
    body = (FOLDER / name).read_bytes()
    return len(body) if name.endswith(".woff2") else len(gzip.compress(body, 5))


def imported(name: str) -> set[str]:
    """Scripts that a script imports before it runs, and theirs."""
    text = (FOLDER / name).read_text()
    found = {ASSETS + each for each in re.findall(r'(?:from|import)\s*"\./([\w.-]+\.js)"', text)}
    return found | {deeper for each in found for deeper in imported(each)}


def test_built__every_file__is_what_the_manifest_names() -> None:
    there = {
        file.relative_to(FOLDER).as_posix(): sha256(file.read_bytes()).hexdigest()
        for file in FOLDER.rglob("*")
        if file.is_file()
    }
    assert there == built() and INDEX in there


def test_built__first_view__keeps_to_its_budget() -> None:
    linked = set(LINKED.findall((FOLDER / INDEX).read_text()))
    wallet = {name for name in built() if re.search(r"/(Wallet|Try)-[\w-]+\.(js|css)$", name)}
    [font] = [name for name in built() if re.search(r"/instrument-sans-latin-wght-[\w.-]+\.woff2$", name)]
    later = [name for name in built() if re.search(r"/(draw|signing)-[\w-]+\.js$", name)]
    scripts = {name for name in linked | wallet if name.endswith(".js")}
    needed = {INDEX, font, *linked, *wallet, *(each for name in scripts for each in imported(name))}
    assert len(linked) >= 3 and len(wallet) == 3 and len(later) == 2 and needed.isdisjoint(later)
    assert sum(map(sent, needed)) <= FIRST_VIEW_BYTES


def test_built__page__has_nothing_inline_and_asks_nobody_else() -> None:
    page = (FOLDER / INDEX).read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", page)
    assert all(url.startswith("/") for url in re.findall(r'(?:src|href)="([^"]*)"', page))
    for name in built():
        if name.endswith(".css"):
            assert not re.search(r"url\(\s*['\"]?(?:https?:)?//|@import", (FOLDER / name).read_text())


def test_dashboard__root__is_the_page_with_security_headers(api: TestClient) -> None:
    answer = api.get("/")
    assert answer.status_code == 200 and answer.content == (FOLDER / INDEX).read_bytes()
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == ALWAYS_ASKED
    assert {name: answer.headers[name] for name in SECURITY} == SECURITY
    policy = dict(each.split(" ", 1) for each in answer.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'" and policy["script-src"] == policy["connect-src"] == "'self'"
    assert not re.search(r"unsafe|https?:|\*", answer.headers["content-security-policy"])


def test_dashboard__terminal__has_no_origin_and_alone_may_connect_to_machines(api: TestClient) -> None:
    answer = api.get(f"/{TERMINAL}")
    policy = dict((*each.split(" ", 1), "")[:2] for each in answer.headers["content-security-policy"].split("; "))
    assert (policy["sandbox"], policy["connect-src"], policy["frame-ancestors"]) == ("allow-scripts", "wss:", "'self'")
    assert policy["default-src"] == policy["trusted-types"] == "'none'" and policy["script-src"] == "'self'"
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"
    for name in LINKED.findall(answer.text):
        assert api.get(f"/{name}").headers["access-control-allow-origin"] == "*"
        assert name not in (FOLDER / INDEX).read_text()
    assert "access-control-allow-origin" not in api.get("/").headers


@pytest.mark.exhaustive
def test_dashboard__every_file__is_answered_and_kept_as_long_as_its_name_says(api: TestClient) -> None:
    for name in built():
        answer = api.get(f"/{name}", headers={"Accept-Encoding": "gzip"})
        assert answer.status_code == 200 and answer.content == (FOLDER / name).read_bytes()
        assert answer.headers["cache-control"] == (FOREVER if name.startswith(ASSETS) else ALWAYS_ASKED)
        assert answer.headers["x-content-type-options"] == "nosniff"
        again = api.get(f"/{name}", headers={"Accept-Encoding": "gzip", "If-None-Match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
    kinds = {api.get(f"/{name}").headers["content-type"] for name in built()}
    assert kinds == {
        *("text/html; charset=utf-8", "text/css; charset=utf-8", "text/javascript; charset=utf-8"),
        *("font/woff2", "image/svg+xml"),
    }


@pytest.mark.parametrize("path", ["/network", "/listings/2GyAsaLpj9xrwod31zyUuGmEJj8WQB2pKWqWf2AZKCHE", "/no/such?a=1"])
def test_dashboard__path_of_a_page__is_the_page_for_browsers_only(api: TestClient, path: str) -> None:
    assert api.get(path, headers=HTML).content == (FOLDER / INDEX).read_bytes()
    assert api.head(path, headers=HTML).status_code == 200
    assert api.get(path).json()["error"] == api.post(path, headers=HTML).json()["error"] == "not_found"


@pytest.mark.parametrize("path", ["/api/nothing", "/api/", "/assets/nothing.js", "/assets/%2e%2e/manifest.json"])
def test_dashboard__where_no_page_is__is_not_found_for_browsers_too(api: TestClient, path: str) -> None:
    assert (answer := api.get(path, headers=HTML)).status_code == 404
    assert answer.json()["error"] == "not_found"


@pytest.mark.parametrize("path", ["/docs", "/health", "/openapi.json", "/api/network"])
def test_dashboard__routes_of_the_api__stay_the_apis(api: TestClient, path: str) -> None:
    assert api.get(path, headers=HTML).content != (FOLDER / INDEX).read_bytes()
    assert "x-frame-options" not in api.get(path, headers=HTML).headers
