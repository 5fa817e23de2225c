"""Doors of an API on someone's own computer."""

from __future__ import annotations

from typing import Any
from unittest.mock import AsyncMock

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from indexer.api.http.same_origin import SameOrigin, is_loopback
from indexer.api.limits.middleware import WITHIN


async def _accept(socket: WebSocket) -> None:
    await socket.accept()
    await socket.close()


def client(host: str) -> TestClient:
    inside = PlainTextResponse("inside")
    routes = [Route("/", inside), Route("/assets/page.js", inside), WebSocketRoute("/feed", _accept)]
    return TestClient(SameOrigin(Starlette(routes=routes)), base_url=f"http://{host}")


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:8000", "127.9.9.9", "[::1]:8000", "LOCALHOST"])
@pytest.mark.parametrize("scheme", ["http", None])
def test_request__of_this_computer__passes(host: str, scheme: str | None) -> None:
    headers = {"Host": host} | ({} if scheme is None else {"Origin": f"{scheme}://{host}"})
    assert client("localhost").get("/", headers=headers).text == "inside"
    with client("localhost").websocket_connect("/feed", headers=headers):
        pass


@pytest.mark.parametrize(
    ("host", "origin", "error"),
    [
        ("page.example", None, "foreign_host"),
        ("page.example:8000", "http://page.example:8000", "foreign_host"),
        ("localhost.page.example", None, "foreign_host"),
        ("127.0.0.1.page.example", None, "foreign_host"),
        ("192.168.1.7:8000", "http://192.168.1.7:8000", "foreign_host"),
        ("", None, "foreign_host"),
        ("[::1", None, "foreign_host"),
        ("127.0.0.1:8000", "https://page.example", "foreign_page"),
        ("127.0.0.1:8000", "http://127.0.0.1:9999", "foreign_page"),
        ("127.0.0.1:8000", "http://localhost:8000", "foreign_page"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000@page.example", "foreign_page"),
        ("127.0.0.1:8000", "null", "foreign_page"),
        ("127.0.0.1:8000", "http://[page", "foreign_page"),
    ],
)
def test_request__of_a_strangers_page__is_refused(host: str, origin: str | None, error: str) -> None:
    headers = {"Host": host} | ({} if origin is None else {"Origin": origin})
    answer = client("localhost").get("/", headers=headers)
    assert (answer.status_code, answer.json()["error"]) == (403, error)
    with pytest.raises(WebSocketDisconnect), client("localhost").websocket_connect("/feed", headers=headers):
        pass


@pytest.mark.parametrize(("mark", "status"), [({WITHIN: True}, 200), ({}, 403)])
async def test_request__without_a_host__passes_if_it_is_of_the_application_itself(
    mark: dict[str, bool], status: int
) -> None:
    answers: list[Any] = []

    async def send(message: Any) -> None:
        answers.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b"", **mark}
    await client("localhost").app(scope, AsyncMock(), send)
    assert answers[0]["status"] == status


def test_request__of_a_script__passes_from_a_document_without_an_origin_and_by_no_other_name() -> None:
    assert client("localhost").get("/assets/page.js", headers={"Origin": "null"}).text == "inside"
    foreign = {"Origin": "null", "Host": "page.example"}
    assert client("localhost").get("/assets/page.js", headers=foreign).status_code == 403


@pytest.mark.parametrize("host", ["user@localhost", "localhost@page.example", "0.0.0.0", "::", "1"])
def test_is_loopback__name_that_only_looks_like_one__is_none(host: str) -> None:
    assert not is_loopback(host)
