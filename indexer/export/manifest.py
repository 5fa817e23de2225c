"""Contents of a folder of exported events: `manifest.json`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import msgspec

from indexer.errors import ExportUnusable

NAME: Final = "manifest.json"
FORMAT: Final = 1


class EventFile(msgspec.Struct, frozen=True):
    """A file: numbers of its first and last event, how many it has, and the hash of its rows."""

    file: str
    first: int
    last: int
    events: int
    sha256: str


class ExportManifest(msgspec.Struct):
    """Files of a folder in their order; `intake` is the database that they come from."""

    intake: str
    events_a_file: int
    parts: list[EventFile] = []
    format: int = FORMAT

    @property
    def events(self) -> int:
        """Number of events in all files."""
        return sum(part.events for part in self.parts)

    @property
    def last(self) -> int:
        """Number of the last event; 0 if there is none."""
        return self.parts[-1].last if self.parts else 0

    def write(self, folder: Path) -> None:
        """Puts it in the place of the one before."""
        unfinished = folder / f".{NAME}"
        with unfinished.open("wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(self)) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(folder / NAME)


def read_manifest(folder: Path) -> ExportManifest | None:
    """That of a folder; None if it has none. Raises ExportUnusable for one that cannot be read."""
    path = folder / NAME
    try:
        found = msgspec.json.decode(path.read_bytes(), type=ExportManifest)
    except FileNotFoundError:
        return None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ExportUnusable(f"{path} cannot be read: {error}") from error
    if found.format != FORMAT:
        raise ExportUnusable(f"{path} has format {found.format}, which another version has written")
    return found
