"""Names of hosts, which the API's operator sets."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from sqlalchemy import Engine

from anchor_client.service.errors import BadSetting
from indexer.api.main import create_app
from indexer.settings import MOST_NAME, IndexerSettings

WALLET, OTHER = str(Pubkey.new_unique()), str(Pubkey.new_unique())


def test_host_names__set_by_the_operator__are_told(engine: Engine) -> None:
    longest = "ü" * MOST_NAME
    settings = IndexerSettings(host_names={WALLET: " Redwood GPU ", OTHER: longest})
    with TestClient(create_app(settings, engine=engine)) as api:
        assert api.get("/api/host-names").json() == {"names": {WALLET: "Redwood GPU", OTHER: longest}}


@pytest.mark.parametrize(
    "names",
    [
        {WALLET: ""},
        {WALLET: "x" * (MOST_NAME + 1)},
        {WALLET: "two\nlines"},
        {WALLET: "right\u202eleft"},
        {WALLET: "same", OTHER: "same "},
        {"wallet": "name"},
        ["name"],
    ],
)
def test_host_names__that_mislead__are_refused(names: Any) -> None:
    with pytest.raises(BadSetting, match="host_names"):
        IndexerSettings(host_names=names)
