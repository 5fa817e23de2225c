"""Annotations of types with a different JSON form: for this package, and for pydantic if it is installed.

Pydantic's schemas are plain dictionaries, so it need not be imported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, get_args

T = TypeVar("T")


def told(description: str | None, examples: Sequence[object] | None) -> dict[str, Any]:
    """OpenAPI description and examples of a field or a type."""
    parts = {"description": description, "examples": examples and list(examples)}
    return {name: value for name, value in parts.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A type with an OpenAPI description."""

    description: str | None = None
    examples: tuple[str, ...] | None = None

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        return handler(schema) | told(self.description, self.examples)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Marked, Generic[T]):
    """Text in JSON, a `kind` in Python."""

    kind: type[T]
    read: Callable[[str], T]
    write: Callable[[T], str] = str

    def written(self, value: T | str) -> str:
        """The text; a text stays unchanged."""
        return value if isinstance(value, str) else self.write(value)

    def parsed(self, value: object) -> T:
        """The value of a text; a value stays unchanged. ValueError."""
        if isinstance(value, self.kind):
            return value
        if not isinstance(value, str):
            raise ValueError("not text")
        return self.read(value)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        written = {"type": "function-plain", "function": self.written, "return_schema": {"type": "str"}}
        return {
            "type": "function-plain",
            "function": {"type": "no-info", "function": self.parsed},
            "json_schema_input_schema": {"type": "str"},
            "serialization": ({"type": "to-string"} if self.write is str else written) | {"when_used": "json"},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class DecimalText(Marked):
    """An integer that JSON has as a string of decimal digits."""

    def written(self, value: int) -> str:
        """Its digits."""
        return str(value)

    def parsed(self, value: int) -> int:
        """The integer that it is in Python."""
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return handler(source) | {"serialization": {"type": "to-string", "when_used": "json"}}


Mark = Text[Any] | DecimalText


def mark_of(hint: Any) -> Mark | None:
    """Mark that a type, or a part of a union, is annotated with; None without one."""
    marks = (mark for part in (hint, *get_args(hint)) for mark in getattr(part, "__metadata__", ()))
    return next(marks, None)
