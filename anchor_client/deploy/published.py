"""Documents published for a program: its interface, and its contact for vulnerabilities."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from solders.pubkey import Pubkey

from anchor_client.deploy.errors import BadSecurityFile
from anchor_client.generated import program as generated

IDL: Final = "idl"
SECURITY: Final = "security"
NEEDED: Final = ("name", "project_url", "contacts", "policy")
LISTS: Final = ("contacts", "preferred_languages", "auditors")
OTHERS: Final = (
    "logo",
    "description",
    "notification",
    "sdk",
    "encryption",
    "source_code",
    "source_release",
    "source_revision",
    "acknowledgements",
    "expiry",
    "version",
)
_PACKAGED: Final = Path(generated.__file__).with_name("idl.json")
_CHECKOUT: Final = Path(generated.__file__).parents[2] / "idl" / "gpu_market.json"


@dataclass(frozen=True, slots=True)
class Document:
    """JSON that is published at a seed."""

    seed: str
    value: Any

    @property
    def content(self) -> bytes:
        """It, without spaces."""
        return json.dumps(self.value, separators=(",", ":"), ensure_ascii=False).encode()

    def is_same(self, content: bytes | None) -> bool:
        """True where published content says the same."""
        try:
            return content is not None and json.loads(content) == self.value
        except ValueError:
            return False


def interface(program: Pubkey) -> Document:
    """The program's IDL, for its address."""
    text = (_PACKAGED if _PACKAGED.exists() else _CHECKOUT).read_text()
    return Document(IDL, json.loads(text.replace(str(generated.PROGRAM_ID), str(program))))


def security(file: Path) -> Document:
    """A file's security metadata. BadSecurityFile."""
    try:
        value = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise BadSecurityFile(f"{file}: {error}") from error
    if not isinstance(value, dict):
        raise BadSecurityFile(f"{file} is not a JSON object")
    for name, entry in value.items():
        if name not in (*NEEDED, *LISTS, *OTHERS):
            raise BadSecurityFile(f"{file}: {name} is not a known entry")
        if name in LISTS and not (isinstance(entry, list) and all(isinstance(one, str) for one in entry)):
            raise BadSecurityFile(f"{file}: {name} must be a list of strings")
        if name not in LISTS and not isinstance(entry, str):
            raise BadSecurityFile(f"{file}: {name} must be a string")
    if missing := [name for name in NEEDED if not value.get(name)]:
        raise BadSecurityFile(f"{file}: missing: {', '.join(missing)}")
    return Document(SECURITY, value)
