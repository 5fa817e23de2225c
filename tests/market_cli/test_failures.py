"""Exit codes of failures whose cause is elsewhere: refused input is the caller's, another refusal is not."""

from __future__ import annotations

import pytest

from anchor_client.errors import ApiRefused, UnreachableApi
from market_cli.exit_codes import FAILED, WRONG_INPUT
from market_cli.failures import report


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ApiRefused("The name is too long", "invalid_request"), WRONG_INPUT),
        (ApiRefused("The database is away", "database_unavailable"), FAILED),
        (UnreachableApi("away"), FAILED),
    ],
    ids=["refused input", "another refusal", "no answer"],
)
def test_report__failure_of_the_api__ends_with_its_code(
    error: Exception, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(error, as_json=False) == code
    assert str(error) in capsys.readouterr().err
