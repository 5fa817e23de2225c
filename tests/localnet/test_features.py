"""Features of the coming chain for accounts are switched on where tests run on Agave's validator."""

from __future__ import annotations

from base64 import b64decode

import pytest

from .endpoint import Endpoint

MAPPED = {
    "syscall_parameter_address_restrictions": "EDGMC5kxFxGk4ixsNkGt8bW7QL5hDMXnbwaZvYMwNfzF",
    "virtual_address_space_adjustments": "7VgiehxNxu53KdxgLspGQY8myE6f7UokaWa4jsGcaSz",
    "account_data_direct_mapping": "CR3dVN2Yoo95Y96kLSTaziWDAQT2MNEpiWh5cqVq2pNE",
    "direct_account_pointers_in_program_input": "ptr9umikaeAS7ZBBp2fsfRhie16F1V2jCKA2y6gXNAK",
}
ACTIVATED = 1
"""First byte of a feature's account from its activation on; the slot follows."""


@pytest.mark.validator
@pytest.mark.xdist_group("validator")
@pytest.mark.parametrize("feature", MAPPED)
def test_validator__feature_that_maps_accounts__is_active(validator: Endpoint, feature: str) -> None:
    account = validator.result("getAccountInfo", MAPPED[feature], {"encoding": "base64"})["value"]
    assert account is not None, "this version of the validator does not know the feature"
    assert b64decode(account["data"][0])[0] == ACTIVATED
