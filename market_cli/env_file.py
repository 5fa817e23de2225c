"""Environment variables from a file, in the format of `docker run --env-file` and .env files."""

from __future__ import annotations

from pathlib import Path

from market_cli.errors import BadJobFile

QUOTES = ("'", '"')
REMEDY = "Write NAME=VALUE, one on each line; # begins a comment."


def read_env_file(path: Path) -> dict[str, str]:
    """Variables by name; quotes around a value are removed. BadJobFile names the line."""
    try:
        lines = path.expanduser().read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise BadJobFile(f"The file of variables {path} cannot be read: {reason}", "Use another file.") from error
    found = {}
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        name, separator, value = text.removeprefix("export ").partition("=")
        if not separator or not name.strip():
            raise BadJobFile(f"{path}:{number}: this is not a variable", REMEDY)
        found[name.strip()] = _unquoted(value.strip())
    return found


def _unquoted(value: str) -> str:
    is_quoted = len(value) >= 2 and value[0] in QUOTES and value[0] == value[-1]
    return value[1:-1] if is_quoted else value
