"""Makes solana-ledger 4.4.0 build on the rocksdb that crates.io has.

Usage: python3 scripts/agave_ledger.py LEDGER LOCKFILE
It calls a fork's methods, which fill a slice that is given. Here they make a new one, which reads and writes the same.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

SLICE = """\
pub use rocksdb::Direction as IteratorDirection;

pub struct DBPinnableSlice<'a>(Option<rocksdb::DBPinnableSlice<'a>>);

impl DBPinnableSlice<'_> {
    pub fn reset(&mut self) {
        self.0 = None;
    }
}

impl std::ops::Deref for DBPinnableSlice<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.0.as_deref().unwrap_or(&[])
    }
}

impl AsRef<[u8]> for DBPinnableSlice<'_> {
    fn as_ref(&self) -> &[u8] {
        self
    }
}
"""
WRAP = "map(|slice| DBPinnableSlice(Some(slice)))"
EDITS = {
    r"pub use rocksdb::\{DBPinnableSlice, .*\};\n": SLICE,
    r"(let opt = self\.db\.get_pinned_cf\(.*\)\?;\s*)Ok\(opt\)": rf"\1Ok(opt.{WRAP})",
    r"self\.db\.new_pinnable_slice\(\)": "DBPinnableSlice(None)",
    r"Ok\(self\.db\.get_pinned_cf_into\(cf, key, value\)\?\)": (
        "value.0 = self.db.get_pinned_cf(cf, key)?; Ok(value.0.is_some())"
    ),
    r"\.map\(\|out\| out\.map_err\(": rf".map(|out| out.map(|found| found.{WRAP}).map_err(",
    r"self\.db\.write\(&mut batch\.write_batch\)": "self.db.write(std::mem::take(&mut batch.write_batch))",
}
"""Patterns and their replacements, each once, in src/blockstore_db.rs."""
LOCKED = r'(name = "solana-ledger"\nversion = ".*"\n)source = .*\nchecksum = .*\n'
"""Its origin in the lock file, which a patched crate has none of."""


def main() -> None:
    ledger, lock = map(Path, sys.argv[1:])
    edit(ledger / "src/blockstore_db.rs", EDITS)
    edit(lock, {LOCKED: r"\1"})


def edit(path: Path, edits: dict[str, str]) -> None:
    """Replaces each pattern once. Exits if one is not there exactly once."""
    text = path.read_text()
    for pattern, replacement in edits.items():
        text, count = re.subn(pattern, replacement, text)
        if count != 1:
            sys.exit(f"{path}: {pattern!r} stands there {count} times, not once")
    path.write_text(text)


if __name__ == "__main__":
    main()
