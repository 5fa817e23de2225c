"""Logging of services on standard error: lines for people or JSON, structlog's events and the standard library's alike.

Values bound in `structlog.contextvars`, such as a request's id, are in every line, secrets of endpoints in none.
"""

from __future__ import annotations

import logging
import sys
from io import StringIO
from typing import Final, TextIO

import structlog
from structlog.typing import EventDict, ExcInfo, Processor, WrappedLogger

from anchor_client.service.log_format import LogFormat
from anchor_client.service.redaction import print_traceback, scrub

CALLS: Final = "anchor_client"
"""Loggers of every call to a node, at the level debug."""
TALKATIVE: Final = ("alembic",)
STACK: Final = "stack"
"""Text of several lines, which structlog writes of our calls."""


class _Scrubbing(structlog.stdlib.ProcessorFormatter):
    def format(self, record: logging.LogRecord) -> str:
        return scrub(super().format(record))


_form = LogFormat.CONSOLE


def log_settings() -> tuple[int, LogFormat]:
    """The level and the format that are in force, for processes that are to log as this one does."""
    return logging.getLogger(CALLS).getEffectiveLevel(), _form


def usual_format() -> LogFormat:
    """Lines for people where people look."""
    return LogFormat.CONSOLE if sys.stderr.isatty() else LogFormat.JSON


def configure_service_logs(level: int, form: LogFormat | None = None) -> None:
    """Prints logs from a level up; from other libraries INFO and above, from talkative ones WARNING and above. What
    ends the process is printed without secrets of endpoints too.
    """
    global _form  # noqa: PLW0603 - a process has one log
    _form = form or usual_format()
    is_json = _form is LogFormat.JSON
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.StackInfoRenderer(),
        structlog.dev.set_exc_info,
        structlog.processors.TimeStamper(fmt="iso" if is_json else "%Y-%m-%d %H:%M:%S", utc=is_json),
    ]
    renderer: list[Processor]
    if is_json:
        renderer = [
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(default=str, sort_keys=False),
        ]
    else:
        renderer = [
            _with_texts_escaped,
            structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=_write_traceback),
        ]
    structlog.configure(
        processors=[*shared, *renderer, _scrubbed],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        # Cached, a logger that was used before would keep its old level and form.
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        _Scrubbing(
            foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name, structlog.stdlib.ExtraAdder()],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    # At DEBUG libraries tell all that they send: websockets, every frame and header.
    root.setLevel(max(level, logging.INFO))
    for talkative in TALKATIVE:
        logging.getLogger(talkative).setLevel(max(level, logging.WARNING))
    logging.getLogger(CALLS).setLevel(level)
    sys.excepthook = print_traceback


def _with_texts_escaped(logger: WrappedLogger, name: str, event: EventDict) -> EventDict:
    """Texts can be others', such as a registry's answer: none may move the cursor or begin a line."""
    return {
        key: _escaped(value, keep="\n" if key == STACK else "") if isinstance(value, str) else value
        for key, value in event.items()
    }


def _write_traceback(out: TextIO, failure: ExcInfo) -> None:
    """Structlog's usual form prints local variables, and with them whatever secret stands there."""
    told = StringIO()
    structlog.dev.plain_traceback(told, failure)
    out.write(_escaped(told.getvalue(), keep="\n"))


def _escaped(text: str, *, keep: str = "") -> str:
    if text.isprintable():
        return text
    return "".join(each if each in keep or each.isprintable() else repr(each)[1:-1] for each in text)


def _scrubbed(logger: WrappedLogger, name: str, event: str | EventDict) -> str:
    return scrub(str(event))
