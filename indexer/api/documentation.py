"""GET /openapi.json, and GET /docs: the same as one page, which loads nothing from anywhere."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from html import escape
from http import HTTPStatus
from typing import Annotated, Any, NamedTuple

from fastapi import Depends, Response
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.types import Receive, Scope, Send

from indexer.api.deps import of_application
from indexer.api.http.compact import Representation
from indexer.api.http.strict import StrictRouter
from indexer.store.threads import in_thread

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.5rem; } h3 { margin: 2rem 0 0; font-family: ui-monospace, monospace; font-size: 1rem; }
table { border-collapse: collapse; margin: .5rem 0; } td { padding: .15rem 1rem .15rem 0; vertical-align: top; }
code, td:first-child { font-family: ui-monospace, monospace; font-size: .9em; white-space: nowrap; }
"""

Schema = Mapping[str, Any]

router = StrictRouter(include_in_schema=False)


class Described(NamedTuple):
    """An application, as JSON and as a page."""

    json: Representation
    page: Representation


class Documentation:
    """Description of an application: it takes more than a second, and is made once, beside the event loop."""

    def __init__(self, describe: Callable[[], Schema]) -> None:
        self._describe = describe
        self._making: asyncio.Task[Described] | None = None

    async def made(self) -> Described:
        """Whoever asks meanwhile waits for the same."""
        if self._making is None:
            self._making = asyncio.create_task(in_thread(self._make))
        return await asyncio.shield(self._making)

    def _make(self) -> Described:
        description = self._describe()
        policy = {"Content-Security-Policy": CONTENT_SECURITY_POLICY}
        return Described(_kept(JSONResponse(description)), _kept(HTMLResponse(page(description), headers=policy)))


def _kept(answer: Response) -> Representation:
    start = {"type": "http.response.start", "status": HTTPStatus.OK, "headers": answer.raw_headers}
    return Representation(start, bytes(answer.body))


class KeptResponse(Response):
    """An answer that is kept."""

    def __init__(self, kept: Representation) -> None:
        super().__init__()
        self._kept = kept

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._kept.send(scope, send)


OfApplication = Annotated[Documentation, Depends(of_application("documentation"))]


@router.get("/openapi.json")
async def openapi(documentation: OfApplication) -> Response:
    """The description."""
    return KeptResponse((await documentation.made()).json)


@router.get("/docs")
async def docs(documentation: OfApplication) -> Response:
    """The page."""
    return KeptResponse((await documentation.made()).page)


def page(description: Schema) -> str:
    """HTML of an OpenAPI description."""
    info = description["info"]
    routes = "".join(
        _route(method, path, about)
        for path, methods in description["paths"].items()
        for method, about in methods.items()
    )
    models = "".join(_model(name, schema) for name, schema in sorted(description["components"]["schemas"].items()))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(info["title"])}</title>'
        f"<style>{STYLE}</style></head><body><h1>{escape(info['title'])} {escape(info['version'])}</h1>"
        f'<p>{escape(info["description"])}</p><p><a href="openapi.json">OpenAPI</a></p>'
        f"<h2>Routes</h2>{routes}<h2>Models</h2>{models}</body></html>"
    )


def _route(method: str, path: str, about: Schema) -> str:
    rows = [
        (parameter["name"], _type(parameter["schema"]), _told(parameter, parameter["schema"]))
        for parameter in about.get("parameters", ())
    ]
    body = about.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if body is not None:
        rows.append(("body", _type(body), ""))
    answers = [
        (status, _type(_schema_of(answer)), escape(answer.get("description", "")))
        for status, answer in about["responses"].items()
    ]
    told = f"<p>{escape(about.get('summary', ''))}. {escape(about.get('description', ''))}</p>"
    return f"<h3>{method.upper()} {escape(path)}</h3>{told}{_table(rows)}{_table(answers)}"


def _model(name: str, schema: Schema) -> str:
    rows = [(field, _type(about), _told(about)) for field, about in schema.get("properties", {}).items()]
    told = f"<p>{escape(schema.get('description', ''))}</p>"
    values = f"<p>{_type(schema)}</p>" if "enum" in schema else ""
    return f'<h3 id="{escape(name)}">{escape(name)}</h3>{told}{values}{_table(rows)}'


def _schema_of(answer: Schema) -> Schema:
    """The schema of an answer in whatever form it comes."""
    schemas = [form.get("schema", {}) for form in answer.get("content", {}).values()]
    return schemas[-1] if schemas else {}


def _type(schema: Schema) -> str:
    """A schema's type in words; models are links."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    if "enum" in schema:
        return " or ".join(f"<code>{escape(str(value))}</code>" for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(map(_type, schema["anyOf"]))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return escape(str(schema.get("type", "")))


def _told(*abouts: Schema) -> str:
    """HTML about a field: its description, its example and its default."""
    told = next((about["description"] for about in abouts if "description" in about), "")
    parts = [escape(told)] if told else []
    for about in abouts:
        parts += [f"Example: <code>{escape(str(value))}</code>" for value in about.get("examples", ())[:1]]
        if about.get("default") is not None:
            parts.append(f"Default: <code>{escape(str(about['default']))}</code>")
    return " ".join(parts)


def _table(rows: Iterable[tuple[str, str, str]]) -> str:
    cells = "".join(f"<tr><td>{escape(name)}</td><td>{kind}</td><td>{told}</td></tr>" for name, kind, told in rows)
    return f"<table>{cells}</table>" if cells else ""
