"""The layouts that the chain and every consumer's history depend on; run as a module it freezes them.

python -m tests.program.freeze_layouts
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from anchor_client.generated.accounts import ACCOUNTS
from anchor_client.generated.events import EVENTS

from .harness.scenarios import IDL

FROZEN = Path(__file__).with_name("layouts.json")

Layouts = dict[str, dict[str, Any]]


def layouts() -> Layouts:
    """Accounts with sizes and offsets, events with their fields' types in order, and all discriminators."""
    types = {each["name"]: each["type"] for each in IDL["types"]}
    return {
        "accounts": {
            kind.__name__: {
                "discriminator": discriminator.hex(),
                "size": len(discriminator) + kind.LAYOUT.sizeof(),
                "offsets": {
                    field["name"]: f"{kind.OFFSETS[field['name']]} {_text(field['type'])}"
                    for field in types[kind.__name__]["fields"]
                },
            }
            for discriminator, kind in ACCOUNTS.items()
        },
        "events": {
            kind.__name__: {
                "discriminator": discriminator.hex(),
                "fields": [f"{field['name']} {_text(field['type'])}" for field in types[kind.__name__]["fields"]],
            }
            for discriminator, kind in EVENTS.items()
        },
        "instructions": {each["name"]: bytes(each["discriminator"]).hex() for each in IDL["instructions"]},
        "enums": {
            name: [variant["name"] for variant in kind["variants"]]
            for name, kind in types.items()
            if kind["kind"] == "enum"
        },
        "errors": {each["name"]: each["code"] for each in IDL["errors"]},
    }


def _text(kind: Any) -> str:
    """A type of the IDL on one line."""
    return kind if isinstance(kind, str) else json.dumps(kind, sort_keys=True)


if __name__ == "__main__":
    FROZEN.write_text(json.dumps(layouts(), indent=1, sort_keys=True) + "\n")
