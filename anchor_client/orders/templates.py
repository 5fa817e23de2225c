"""Saved orders: one JSON file each, for the owner's eyes, since they may hold tokens."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from anchor_client.errors import InvalidOrder, TemplateMissing
from anchor_client.service.home import expanded
from anchor_client.service.private_files import replace_file

if TYPE_CHECKING:
    from anchor_client.orders.document import Workload

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class TemplateDirectory:
    """Templates by name in a directory, which is made when the first is saved."""

    def __init__(self, directory: Path | str) -> None:
        self.directory = expanded(directory)

    def save(self, name: str, parts: Workload) -> Path:
        """Writes a template, replacing one of the same name whole. InvalidOrder if that is not a file name."""
        path = self._path(name)
        from anchor_client.orders.document import Workload  # noqa: PLC0415 - takes long; names alone do without

        kept = {part: value for part, value in parts.parts().items() if part in Workload.__struct_fields__}
        replace_file(path, f"{json.dumps(kept, indent=2, ensure_ascii=False)}\n".encode())
        return path

    def load(self, name: str) -> Workload:
        """Reads a template. TemplateMissing, InvalidOrder when the file is not an order."""
        from anchor_client.orders.document import read_workload  # noqa: PLC0415 - as above

        path = self._path(name)
        try:
            text = path.read_bytes()
        except FileNotFoundError:
            known = ", ".join(self.names())
            remedy = f"Saved are: {known}." if known else None
            raise TemplateMissing(f"There is no template {name!r} in {self.directory}", remedy) from None
        try:
            return read_workload(text)
        except InvalidOrder as error:
            raise InvalidOrder(f"The template {path} is not an order", "Save it again.") from error

    def names(self) -> list[str]:
        """Names of the saved templates, sorted."""
        return sorted(path.stem for path in self.directory.glob("*.json"))

    def remove(self, name: str) -> None:
        """Deletes a template. TemplateMissing."""
        try:
            self._path(name).unlink()
        except FileNotFoundError:
            raise TemplateMissing(f"There is no template {name!r} in {self.directory}") from None

    def _path(self, name: str) -> Path:
        if NAME.fullmatch(name) is None:
            raise InvalidOrder(f"{name!r} is not a name for a template", "Use letters, digits, dots, _ and -.")
        return self.directory / f"{name}.json"
