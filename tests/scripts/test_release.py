"""The release workflow, as far as it can be tried without publishing anything."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOW: dict[Any, Any] = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())
BUILD, PUBLISH = (WORKFLOW["jobs"][name] for name in ("build", "publish"))
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
DIST = "build/dist"
EVENTS = True
"""Key that YAML makes of `on`."""


def uses(job: dict[str, Any], action: str) -> dict[str, Any]:
    """Inputs that a job's step gives to an action."""
    [step] = [step for step in job["steps"] if step.get("uses", "").startswith(f"{action}@")]
    given: dict[str, Any] = step["with"]
    return given


def runs(job: dict[str, Any]) -> list[str]:
    """The commands of a job's own steps."""
    return [step["run"] for step in job["steps"] if "run" in step]


def test_release__a_tag__is_built_by_make_and_published_from_what_was_built() -> None:
    assert WORKFLOW[EVENTS] == {"push": {"tags": ["v*"]}}
    assert runs(BUILD)[0] == "make dist" and runs(PUBLISH) == []
    assert PUBLISH["needs"] == "build"
    kept, fetched = uses(BUILD, "actions/upload-artifact"), uses(PUBLISH, "actions/download-artifact")
    assert (kept["name"], kept["path"]) == (fetched["name"], fetched["path"]) == ("dist", DIST)
    assert uses(PUBLISH, "actions/attest-build-provenance") == {"subject-path": f"{DIST}/*"}
    assert uses(PUBLISH, "pypa/gh-action-pypi-publish") == {"packages-dir": DIST}, "neither a user nor a password"


def test_release__each_job__may_do_what_it_needs_and_no_more() -> None:
    assert WORKFLOW["permissions"] == {}
    assert BUILD["permissions"] == {"contents": "read"}
    assert PUBLISH["permissions"] == {"id-token": "write", "attestations": "write"}
    assert (BUILD.get("environment"), PUBLISH["environment"]["name"]) == (None, "pypi")
    assert uses(BUILD, "actions/checkout") == {"persist-credentials": False}


@pytest.mark.parametrize(
    ("tag", "passes"), [(f"v{VERSION}", True), (f"v{VERSION}.1", False), ("v", False), ("v/../v", False)]
)
def test_release__tag__must_be_the_version(tmp_path: Path, tag: str, passes: bool) -> None:
    (tmp_path / DIST).mkdir(parents=True)
    (tmp_path / DIST / f"gpu_market-{VERSION}.tar.gz").touch()
    step = runs(BUILD)[1]
    done = subprocess.run(["bash", "-e", "-c", step], cwd=tmp_path, env={"GITHUB_REF_NAME": tag}, check=False)
    assert (done.returncode == 0) == passes


def test_make_dist__plan__builds_both_files_and_checks_them() -> None:
    planned = subprocess.run(["make", "-n", "dist"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    removed, built, checked = planned.splitlines()[-3:]
    assert removed == f"rm -rf {DIST}" and f"build --quiet --out-dir {DIST}" in built
    assert f"check --strict {DIST}/*" in checked
