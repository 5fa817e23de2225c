"""Market files: what is written to start from can be read, and what is wrong is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from anchor_client.deploy.clusters import MAINNET, NAMES
from anchor_client.deploy.document import MarketFile, read_market_file, wanted_parameters
from anchor_client.deploy.errors import BadMarketFile, MarketForTestsOnMainnet
from anchor_client.deploy.template import template
from anchor_client.generated.types import OracleKind
from anchor_client.payment_tokens import USDC_MAINNET
from anchor_client.rules.parameters import PARAMETERS


def read(path: Path, text: str) -> MarketFile:
    file = path / "market.toml"
    file.write_text(text)
    return read_market_file(file)


@pytest.mark.parametrize("cluster", NAMES)
def test_template__each_cluster__is_a_market_with_every_parameter(tmp_path: Path, cluster: str) -> None:
    file = read(tmp_path, template(cluster))
    assert file.cluster == cluster and file.testing == (cluster != MAINNET)
    assert [*file.parameters] == [each.name for each in PARAMETERS]
    values = wanted_parameters(file, 10**6)
    assert all(values[each.parameter] == each.opens_with(10**6) for each in PARAMETERS)
    assert [mint.symbol for mint in file.mints] == ["GPUM", "USDC", "SOL"]


def test_template__mainnet__takes_circles_usdc_and_pyth(tmp_path: Path) -> None:
    _, usdc, sol = read(tmp_path, template(MAINNET)).mints
    assert usdc.mint == str(USDC_MAINNET) and sol.oracle_kind is OracleKind.PYTH_UPGRADED and sol.feed_id


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("tip_lamports           = 20000", "tip_lamports = -1", "tip_lamports"),
        ("min_duration           = 21600", "min_duration = 86401", "min_duration"),
        ("fee_burn_bps           = 2000", "fee_burn_bps = 9000", "100 %"),
        ("tip_lamports           = 20000", "tipp = 20000", "tipp"),
        ('symbol = "USDC"', 'symbol = "gpum"', "same symbol"),
        ("market_token = true", "market_token = false", "market token"),
        ('price = "0.05"', 'price = "a lot"', "price of GPUM"),
        ('supply = "1000000000"', 'supply = "0.0000001"', "supply of GPUM"),
        ("enabled = true", "enabled = true\ncolour = 1", "colour"),
        ('oracle = "pinned"', 'oracle = "pinned"\nburn_bps = 5', "USDC"),
        ("room = 0 ", "room = -1 ", "room"),
    ],
)
def test_read__something_wrong__is_named(tmp_path: Path, old: str, new: str, told: str) -> None:
    text = template("localnet")
    assert old in text
    with pytest.raises(BadMarketFile, match=told):
        read(tmp_path, text.replace(old, new, 1))


def test_read__market_for_tests_on_mainnet__is_refused(tmp_path: Path) -> None:
    with pytest.raises(MarketForTestsOnMainnet):
        read(tmp_path, template(MAINNET).replace("testing = false", "testing = true"))
