"""Copies of Rust sources for Cargo: the same as the checkout's, and untouched where nothing changed."""

from __future__ import annotations

import os
from pathlib import Path

from .guided.copied import copied


def _written(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_copied__a_file_changes_and_another_goes__copy_follows_and_the_rest_keeps_its_time(tmp_path: Path) -> None:
    root, copy = tmp_path / "checkout", tmp_path / "copy"
    same, changed, gone = (_written(root, f"src/{name}.rs", name) for name in ("same", "changed", "gone"))
    same.chmod(0o755)
    with copied([same, changed, gone], root, copy):
        assert (copy / "src/gone.rs").read_text() == "gone"
    for file in copy.rglob("*.rs"):
        os.utime(file, (1, 1))
    changed.write_text("new")
    with copied([same, changed], root, copy):
        assert (copy / "src/changed.rs").read_text() == "new"
    assert (copy / "src/changed.rs").stat().st_mtime > 1
    assert (copy / "src/same.rs").stat().st_mtime == 1 and os.access(copy / "src/same.rs", os.X_OK)
    assert {file.name for file in copy.rglob("*.rs")} == {"same.rs", "changed.rs"}
