//! Lines of the program's source that its instructions come from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use addr2line::Loader;
use anyhow::{Result, anyhow};
use serde::Serialize;

const INSTRUCTION_BYTES: u64 = 8;
const SOURCES: &str = "/program/src/";

/// Lines of one file.
#[derive(Default, Serialize)]
pub struct Lines {
    pub of: usize,
    pub reached: usize,
    /// Those that never ran.
    pub missed: Vec<u32>,
}

/// The lines of every source file of which the program has code; `binary` must hold debug information.
pub fn covered(binary: &Path, reached: &[bool]) -> Result<BTreeMap<String, Lines>> {
    let loader = Loader::new(binary).map_err(|error| anyhow!("{}: {error}", binary.display()))?;
    let mut all: BTreeMap<String, BTreeMap<u32, bool>> = BTreeMap::new();
    let locations = loader
        .find_location_range(0, u64::MAX)
        .map_err(|error| anyhow!("{} has no lines: {error}", binary.display()))?;
    for (address, length, location) in locations {
        let (Some(file), Some(line)) = (location.file.and_then(of_program), location.line) else { continue };
        if line == 0 {
            continue;
        }
        let first = address / INSTRUCTION_BYTES;
        let last = first + length / INSTRUCTION_BYTES;
        let ran = (first..last).any(|at| reached.get(at as usize).copied().unwrap_or(false));
        *all.entry(file).or_default().entry(line).or_default() |= ran;
    }
    Ok(all
        .into_iter()
        .map(|(file, lines)| {
            let missed: BTreeSet<u32> = lines.iter().filter(|(_, ran)| !**ran).map(|(line, _)| *line).collect();
            let of = lines.len();
            (file, Lines { of, reached: of - missed.len(), missed: missed.into_iter().collect() })
        })
        .collect())
}

/// A file's name within the program's sources, if it is one of them.
fn of_program(file: &str) -> Option<String> {
    file.split_once(SOURCES).map(|(_, name)| name.to_string())
}
