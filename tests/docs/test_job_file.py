"""The keys of a job file that the documentation names are all that there are."""

from __future__ import annotations

import yaml

from market_cli.ordering.job_file import JobFile
from tests.docs.pages import ROOT, blocks, section, spans

PAGE = (ROOT / "docs/rent.md").read_text()


def test_job_file__keys__are_named_each() -> None:
    text = section(PAGE, "A job file")
    (example,) = blocks(text, "yaml")
    others = text.partition("\nThe other keys are ")[2].partition(".\n")[0]
    named = [*yaml.safe_load(example), *spans(others)]
    assert sorted(named) == sorted(JobFile.model_fields)
