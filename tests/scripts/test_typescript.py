"""Staleness of the TypeScript client's types, seen without Node.js."""

from __future__ import annotations

from scripts.typescript import API, OPENAPI, of_description


def test_types__committed__are_of_the_committed_description() -> None:
    assert of_description(API.read_text(), OPENAPI.read_text())


def test_types__edited_by_hand__are_out_of_date() -> None:
    edited = API.read_text().replace('"/api/gpus"', '"/api/graphics"', 1)
    assert edited != API.read_text()
    assert not of_description(edited, OPENAPI.read_text())


def test_types__description_has_another_route__are_out_of_date() -> None:
    changed = OPENAPI.read_text().replace("/api/gpus", "/api/graphics", 1)
    assert changed != OPENAPI.read_text()
    assert not of_description(API.read_text(), changed)
