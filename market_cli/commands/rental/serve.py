"""`gpu-market serve` and `gpu-market endpoint`."""

from __future__ import annotations

import re
import secrets
import shlex
from typing import Annotated, Final

import typer

from anchor_client.orders.document import PortForward, Workload
from market_cli.acting import acting
from market_cli.commands.arguments import JobId
from market_cli.commands.rental.job import going_on, until_started
from market_cli.commands.rental.renting import check, place
from market_cli.errors import BadOption
from market_cli.lazy import load
from market_cli.machine.endpoint import KEY, MODEL, PORT, open_endpoint
from market_cli.ordering.order_options import PANEL
from market_cli.ordering.rental_options import RentalOptions
from market_cli.session import CliSession

IMAGE: Final = "vllm/vllm-openai:latest"
KEY_BYTES: Final = 32
MODEL_ID: Final = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)
Local = Annotated[int, typer.Option("--local", min=0, max=65_535, help="Local port.", show_default="any free port")]


@acting
async def serve(
    session: CliSession,
    model: Annotated[str, typer.Argument(help="Model id on Hugging Face, such as Qwen/Qwen2.5-7B-Instruct.")],
    rental: RentalOptions,
    *,
    image: Annotated[
        str, typer.Option("--image", help="Image that has vLLM's `vllm serve`.", rich_help_panel=PANEL)
    ] = IMAGE,
    arguments: Annotated[
        str, typer.Option("--args", help="More arguments of `vllm serve`.", rich_help_panel=PANEL, show_default="none")
    ] = "",
    token: Annotated[
        str | None,
        typer.Option(
            "--hf-token",
            envvar="HF_TOKEN",
            help="Hugging Face token, for models that need one. Only the host can read it.",
            rich_help_panel=PANEL,
            show_default=False,
        ),
    ] = None,
    local: Local = 0,
) -> None:
    """Rent a machine that serves a model, and print the URL and the key that OpenAI clients take.

    The key is made for this job and sealed in its order: the API refuses requests without it. It is forwarded over SSH
    to this computer's loopback address until Ctrl-C; the job keeps running until you stop it.
    """
    if rental.script is not None or rental.respawn or rental.fetch is not None:
        raise BadOption("serve takes no --script, --fetch or --respawn", "Use `gpu-market rent` for them.")
    if MODEL_ID.fullmatch(model) is None:
        raise BadOption(f"{model!r} is not a model's id", "Write it as Hugging Face does: Qwen/Qwen2.5-7B-Instruct.")
    check(rental)
    job = await place(session, rental, workload_of(model, image, arguments, token, rental.gpus or 1))
    with going_on(session, rental.name or job.id):
        if not rental.wait:
            await until_started(session, job.id)
        await open_endpoint(session, str(job.id), local)


@acting
async def endpoint(session: CliSession, job: JobId, local: Local = 0) -> None:
    """Open the API of a job ordered with `gpu-market serve` again: prints its URL and its key."""
    await open_endpoint(session, str(await session.job(job)), local)


def workload_of(model: str, image: str, arguments: str, token: str | None, gpus: int) -> Workload:
    """The order of an API with a key of its own. InvalidOrder, BadOption."""
    try:
        more = shlex.join(shlex.split(arguments))
    except ValueError as error:
        raise BadOption(f"--args cannot be read: {error}", "Quote it as a shell does.") from error
    words = ["vllm", "serve", model, "--host", "0.0.0.0", "--port", str(PORT)]
    if gpus > 1:
        words += ["--tensor-parallel-size", str(gpus)]
    workload: type[Workload] = load("anchor_client.orders:Workload")
    return workload(
        image=image,
        command=f"{shlex.join(words)} {more}".rstrip(),
        ports=(PortForward(port=PORT, protocol="http"),),
        env={KEY: secrets.token_urlsafe(KEY_BYTES), MODEL: model} | ({} if token is None else {"HF_TOKEN": token}),
    )
