"""Job files of `gpu-market run`: YAML whose values are all read as text, so that prices are never floats."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from anchor_client.errors import GpuMarketError
from anchor_client.kinds import parse_kind
from anchor_client.orders import PortForward, Workload
from anchor_client.rules.catalog import find_gpu, find_region
from anchor_client.symbols import MARKET_TOKEN
from market_cli.errors import BadJobFile
from market_cli.job_keys import KEYS
from market_cli.job_names import check_name
from market_cli.units import micro_usd, parse_amount, parse_duration

Text = Annotated[str, Field(min_length=1)]
REFUSED: Final = "refused"


def _read_by(read: Callable[[str], object]) -> AfterValidator:
    """A value that the option of that name parses, with the option's own error messages."""

    def check(text: str) -> str:
        try:
            read(text)
        except GpuMarketError as error:
            told = {"why": error.message, "remedy": error.remedy}
            raise PydanticCustomError(REFUSED, "{why}", told) from error
        return text

    return AfterValidator(check)


Dollars = Annotated[Text, _read_by(micro_usd)]
Tokens = Annotated[Text, _read_by(parse_amount)]


class JobFile(BaseModel):
    """Contents of a job file; each key is the option of `gpu-market rent` of that name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    duration: Annotated[Text, _read_by(parse_duration)]
    gpu: Annotated[Text, _read_by(find_gpu)] | None = None
    listing: Text | None = None
    region: Annotated[Text, _read_by(find_region)] | None = None
    kind: Annotated[Text, _read_by(parse_kind)] = "on-demand"
    bid: Dollars | None = None
    pay: Text = MARKET_TOKEN
    max_price: Dollars | None = None
    max_cost: Tokens | None = None
    max_charges: Tokens | None = None
    storage_gb: int = Field(default=0, ge=0)
    template: Text | None = None
    image: Text | None = None
    command: Text | None = None
    ports: tuple[Annotated[Text, _read_by(PortForward.parse)], ...] | None = None
    env: dict[str, str] | None = None
    env_file: Path | None = None
    ssh_key: Path | None = None
    jupyter_token: Text | None = None
    checkpoint: Text | None = None
    keep_workspace: Text | None = None
    notebook: bool = False
    name: Annotated[Text, _read_by(check_name)] | None = None
    until_exit: bool = False
    respawn: bool = False
    wait: bool = False
    script: Path | None = None
    fetch: Text | None = None


SECRETS: Final = ("env", "ssh_key", "jupyter_token")
"""Parts of an order that are never shared."""


def read_job_file(path: Path, *, workload_alone: bool = False) -> JobFile:
    """A job file; its paths are relative to it. BadJobFile names the line. With `workload_alone` the duration is
    optional.
    """
    document, lines = _parsed(path)
    if workload_alone:
        document.setdefault("duration", "1h")
    try:
        job = JobFile.model_validate(document)
    except ValidationError as error:
        raise _refusal(path, lines, error) from error
    beside = {
        name: _beside(path, file)
        for name in ("env_file", "ssh_key", "script")
        if (file := getattr(job, name)) is not None
    }
    return job.model_copy(update=beside)


def job_file_of(workload: Workload, *, secrets: bool = False) -> str:
    """An order as a job file, without its owner's secrets unless `secrets` is set."""
    parts: dict[str, Any] = {"duration": "1h", "image": workload.image}
    if workload.command is not None:
        parts["command"] = workload.command
    if workload.ports:
        parts["ports"] = [f"{forward.port}/{forward.protocol}" for forward in workload.ports]
    parts |= {name: text for name in ("checkpoint", "keep_workspace") if (text := getattr(workload, name)) is not None}
    hidden = [name for name in SECRETS if getattr(workload, name)]
    if secrets:
        parts |= {name: getattr(workload, name) for name in hidden if name != "ssh_key"}
    head = "# Choose a gpu, then run: gpu-market run FILE\n"
    if not secrets and workload.env:
        head += f"# Set your own in env or env_file: {', '.join(sorted(workload.env))}\n"
    written: str = yaml.safe_dump(parts, sort_keys=False, allow_unicode=True)
    return head + written


def _parsed(path: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """Reads a file: its contents, and the line of each key. BadJobFile."""
    try:
        loader = yaml.BaseLoader(path.expanduser().read_text("utf-8"))
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            raise BadJobFile(f"{path} is not a job file", f"Write keys with values. Keys: {KEYS}.")
        lines: dict[str, int] = {}
        for key, _ in node.value:
            if key.value in lines:
                raise BadJobFile(f"{path}:{key.start_mark.line + 1}: {key.value} is repeated")
            lines[str(key.value)] = key.start_mark.line + 1
        document: dict[str, Any] = loader.construct_document(node)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise BadJobFile(f"The job file {path} cannot be read: {reason}", "Use another file.") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = path if mark is None else f"{path}:{mark.line + 1}"
        raise BadJobFile(f"{where}: this is not YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise BadJobFile(f"{path} is not YAML: {error}") from error
    return document, lines


def _refusal(path: Path, lines: dict[str, int], error: ValidationError) -> BadJobFile:
    """Error for the first mistake in a file, with its line."""
    found = error.errors(include_url=False, include_input=False)
    first = next((each for each in found if each["type"] == "extra_forbidden"), found[0])
    key = str(first["loc"][0])
    where = f"{path}:{lines[key]}" if key in lines else str(path)
    if first["type"] == "missing":
        return BadJobFile(f"{where}: {key} is missing", f"Add a line, such as {key}: 6h.")
    if first["type"] == "extra_forbidden":
        near = get_close_matches(key, JobFile.model_fields, n=1)
        remedy = f"Did you mean {near[0]}?" if near else f"Use: {KEYS}."
        return BadJobFile(f"{where}: {key} is not a key of a job file", remedy)
    if first["type"] == REFUSED:
        return BadJobFile(f"{where}: {first['ctx']['why']}", first["ctx"]["remedy"])
    if first["type"] == "string_too_short":
        return BadJobFile(f"{where}: {key} has no value", "Add a value, or remove the line.")
    place = ".".join(str(part) for part in first["loc"] if part != "[key]")
    return BadJobFile(f"{where}: {place} is not valid: {first['msg']}")


def _beside(path: Path, named: Path) -> Path:
    return path.expanduser().parent / named.expanduser()
