"""Job files of `gpu-market run`: YAML whose values are all read as text, so that prices are never floats."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from anchor_client.errors import GpuMarketError
from anchor_client.kinds import parse_kind
from anchor_client.orders import PortForward, Workload
from anchor_client.rules.catalog import find_region
from anchor_client.rules.gpu_name import match_gpu
from anchor_client.service.home import expanded
from anchor_client.service.text_file import read_text, unreadable
from anchor_client.symbols import MARKET_TOKEN
from market_cli.errors import BadJobFile
from market_cli.job_names import check_name
from market_cli.ordering.job_keys import KEYS
from market_cli.units import MAX_U32, driver, parse_amount, parse_duration, parse_score, price

Text = Annotated[str, Field(min_length=1)]
REFUSED: Final = "refused"
Place = tuple[str, ...]
"""Keys that lead to a value."""


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


def _openable(path: Path) -> Path:
    """A path that a file can have."""
    if "\0" in str(path):
        told = {"why": f"the path {str(path)!r} has a NUL character", "remedy": "Name a file."}
        raise PydanticCustomError(REFUSED, "{why}", told)
    return path


Dollars = Annotated[Text, _read_by(price)]
Tokens = Annotated[Text, _read_by(parse_amount)]
FilePath = Annotated[Path, AfterValidator(_openable)]


class JobFile(BaseModel):
    """Contents of a job file; each key is the option of `gpu-market rent` of that name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    duration: Annotated[Text, _read_by(parse_duration)]
    gpu: Annotated[Text, _read_by(match_gpu)] | None = None
    gpus: int | None = Field(default=None, ge=1, le=255)
    min_vram: int = Field(default=0, ge=0, lt=2**16)
    min_score: Annotated[Text, _read_by(parse_score)] = "0"
    verified: bool = False
    min_driver: Annotated[Text, _read_by(driver)] | None = None
    min_tflops: int | None = Field(default=None, ge=0)
    min_disk_mbps: int | None = Field(default=None, ge=0)
    min_network_mbps: int | None = Field(default=None, ge=0)
    listing: Text | None = None
    region: Annotated[Text, _read_by(find_region)] | None = None
    kind: Annotated[Text, _read_by(parse_kind)] = "on-demand"
    bid: Dollars | None = None
    pay: Text = MARKET_TOKEN
    max_price: Dollars | None = None
    max_cost: Tokens | None = None
    max_charges: Tokens | None = None
    storage_gb: int = Field(default=0, ge=0, le=MAX_U32)
    template: Text | None = None
    image: Text | None = None
    command: Text | None = None
    ports: tuple[Annotated[Text, _read_by(PortForward.parse)], ...] | None = None
    env: dict[str, str] | None = None
    env_file: FilePath | None = None
    ssh_key: FilePath | None = None
    jupyter_token: Text | None = None
    checkpoint: Text | None = None
    keep_workspace: Text | None = None
    notebook: bool = False
    name: Annotated[Text, _read_by(check_name)] | None = None
    until_exit: bool = False
    respawn: bool = False
    wait: bool = False
    script: FilePath | None = None
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


def _parsed(path: Path) -> tuple[dict[str, Any], dict[Place, int]]:
    """Reads a file: its contents, and the line of each key by its place. BadJobFile."""
    try:
        text = read_text(path)
        loader = yaml.BaseLoader(text)
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            raise BadJobFile(f"{path}:1: this is not a job file", f"Write keys with values. Keys: {KEYS}.")
        lines = dict(_lines(path, node, seen=set()))
        document: dict[str, Any] = loader.construct_document(node)
    except (OSError, UnicodeDecodeError) as error:
        raise BadJobFile(f"The job file {path} cannot be read: {unreadable(error)}", "Use another file.") from error
    except RecursionError:
        raise BadJobFile(f"{path} is nested too deeply", f"Write keys with values. Keys: {KEYS}.") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = path if mark is None else f"{path}:{mark.line + 1}"
        raise BadJobFile(f"{where}: this is not YAML: {error.problem or error.context}") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise BadJobFile(f"{path}:{line}: this is not YAML: U+{error.character:04X} is not allowed") from error
    return document, lines


def _lines(path: Path, node: yaml.Node, place: Place = (), *, seen: set[yaml.Node]) -> Iterator[tuple[Place, int]]:
    """The line of each key, by its place. BadJobFile for a key that is not text, and for one that is repeated.

    A table is read once, however many aliases it has: they may double with each line.
    """
    if not isinstance(node, yaml.MappingNode) or node in seen:
        return
    seen.add(node)
    keys = set()
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise BadJobFile(f"{path}:{line}: a key is a list or a table, not a name")
        if key.value in keys:
            raise BadJobFile(f"{path}:{line}: {key.value} is repeated", "Keep one of the two lines.")
        keys.add(key.value)
        yield (*place, str(key.value)), line
        yield from _lines(path, value, (*place, str(key.value)), seen=seen)


def _refusal(path: Path, lines: dict[Place, int], error: ValidationError) -> BadJobFile:
    """Error for the first mistake in a file, with its line."""
    found = error.errors(include_url=False, include_input=False)
    first = next((each for each in found if each["type"] == "extra_forbidden"), found[0])
    key = str(first["loc"][0])
    line = _line_of(lines, first["loc"])
    where = str(path) if line is None else f"{path}:{line}"
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


def _line_of(lines: dict[Place, int], place: tuple[int | str, ...]) -> int | None:
    """The line of a place, or of the key that it is in; None if no line has either."""
    parts = tuple(str(part) for part in place)
    known = (lines.get(parts[:length]) for length in range(len(parts), 0, -1))
    return next((line for line in known if line is not None), None)


def _beside(path: Path, named: Path) -> Path:
    return expanded(path).parent / expanded(named)
