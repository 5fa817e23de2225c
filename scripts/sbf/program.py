"""Builds the market program reproducibly and keeps its manifest.

Usage: program.py build     builds, replaces localnet/program/gpu_market.so and its manifest
       program.py idl       notes in the manifest that the IDL is of the sources as they are
       program.py sources   fails when the sources are not those of the committed binary and IDL (no toolchain)
       program.py verify    rebuilds from scratch elsewhere and fails unless every byte is the same
       program.py moved     builds for another address and fails unless it is the committed build, moved there
       program.py caller    rebuilds the program that tests call the market through and fails if it changed
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARY = ROOT / "localnet/program/gpu_market.so"
MANIFEST = ROOT / "localnet/program/manifest.json"
RECIPE = ROOT / "scripts/sbf"
CALLER = ROOT / "tests/program/caller"
IDL = ROOT / "idl/gpu_market.json"
IDL_RULES = ROOT / "idl/addresses.toml"


def sources() -> list[Path]:
    program = ROOT / "programs/gpu_market"
    files = [program / "Cargo.toml", ROOT / "Cargo.toml", ROOT / "Cargo.lock", *(program / "src").rglob("*.rs")]
    files += [RECIPE / name for name in ("build.sh", "link.sh", "patch_std.py", "pins.sha256", "sbf-solana.json")]
    return sorted(files)


def sources_sha256(*others: Path) -> str:
    digest = hashlib.sha256()
    for file in (*sources(), *others):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(ROOT).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def versions() -> dict[str, str]:
    recipe = (RECIPE / "build.sh").read_text()
    pinned = dict(re.findall(r"\b(linker_version|llvm_version)=(\S+)", recipe))
    rustc = subprocess.run(["/usr/bin/rustc", "--version"], check=True, capture_output=True, text=True).stdout.split()[
        1
    ]
    return {"rustc": rustc, "llvm": pinned["llvm_version"], "sbpf_linker": pinned["linker_version"]}


def compile_to(out: Path, crate: Path = ROOT / "programs/gpu_market", **environment: str) -> None:
    command = ["bash", str(RECIPE / "build.sh"), str(crate), str(out)]
    subprocess.run(command, check=True, env={**os.environ, **environment})


def build() -> None:
    compile_to(BINARY)
    manifest = json.loads(MANIFEST.read_text()) | {
        "binary_sha256": sha256(BINARY),
        "sources_sha256": sources_sha256(),
        "arch": "sbpfv3",
        "versions": versions(),
    }
    MANIFEST.write_text(json.dumps(manifest, indent=2) + "\n")


def note_idl() -> None:
    manifest = json.loads(MANIFEST.read_text()) | {"idl_sha256": sources_sha256(IDL_RULES, IDL)}
    MANIFEST.write_text(json.dumps(manifest, indent=2) + "\n")


def check_sources() -> None:
    manifest = json.loads(MANIFEST.read_text())
    if manifest["idl_sha256"] != sources_sha256(IDL_RULES, IDL):
        sys.exit("the IDL, or what it is made from, changed since it was generated: run `make generate`")
    if manifest["sources_sha256"] != sources_sha256():
        sys.exit("the program's sources changed since localnet/program/gpu_market.so was built: run `make program`")
    if manifest["binary_sha256"] != sha256(BINARY):
        sys.exit("localnet/program/gpu_market.so is not the binary its manifest names: run `make program`")


def verify() -> None:
    check_sources()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "gpu_market.so"
        compile_to(out, SBF_TARGET_DIR=str(Path(folder) / "target"))
        if sha256(out) != sha256(BINARY):
            sys.exit(f"a rebuild gives {sha256(out)}, committed is {sha256(BINARY)}; built with {versions()}")
    print("the committed program is what its sources build, byte for byte")


MOVE = """
import sys
from pathlib import Path
from anchor_client.deploy.binary import Binary, make_key
from anchor_client.generated.program import PROGRAM_ID
program = make_key(PROGRAM_ID).pubkey()
Path(sys.argv[2]).write_bytes(Binary.read(Path(sys.argv[1]), PROGRAM_ID).at(program).code)
print(PROGRAM_ID, program)
"""
"""Writes the committed build for another address; needs the project's environment (uv run)."""


def moved() -> None:
    check_sources()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "moved.so"
        built = Path(folder) / "built.so"
        command = ["uv", "run", "python", "-c", MOVE, str(BINARY), str(out)]
        old, new = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout.split()
        copy = Path(folder) / "sources"
        for source in sources():
            target = copy / source.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(source.read_text().replace(old, new))
        compile_to(built, copy / "programs/gpu_market", SBF_TARGET_DIR=str(Path(folder) / "target"))
        if sha256(out) != sha256(built):
            sys.exit(f"the committed build moved to {new} is {sha256(out)}, a build for it is {sha256(built)}")
    print("moving the committed build gives what building for the other address gives, byte for byte")


def caller() -> None:
    binary = CALLER / "caller.so"
    before = sha256(binary)
    with tempfile.TemporaryDirectory() as folder:
        compile_to(binary, CALLER, SBF_TARGET_DIR=folder)
    if sha256(binary) != before:
        sys.exit(f"{binary.relative_to(ROOT)} was {before}: commit it as it is now")


if __name__ == "__main__":
    steps = {
        "build": build,
        "idl": note_idl,
        "sources": check_sources,
        "verify": verify,
        "moved": moved,
        "caller": caller,
    }
    if len(sys.argv) != 2 or sys.argv[1] not in steps:
        sys.exit(__doc__)
    steps[sys.argv[1]]()
