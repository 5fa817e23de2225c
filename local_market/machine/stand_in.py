"""Runs on simulated machines, with this computer's Python: it stands in for servers that need a GPU.

`stand_in.py vllm serve MODEL --port PORT` answers as vLLM's API does, with the key of VLLM_API_KEY;
`stand_in.py say PORT TEXT` answers every request with a text.
"""

from __future__ import annotations

import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SAID = "This is a simulated model on a simulated machine: no GPU computed this answer. You wrote: "
MOST_BYTES = 2**20


class Chat:
    """Chat completions."""

    name = "chat.completion"
    part_name = "chat.completion.chunk"

    def asked(self, request: Any) -> str:
        """The last message."""
        return str(request["messages"][-1]["content"])

    def whole(self, text: str) -> dict[str, Any]:
        """A choice."""
        return {"message": {"role": "assistant", "content": text}}

    def part(self, text: str) -> dict[str, Any]:
        """A part of a choice."""
        return {"delta": {"content": text}}


class Text:
    """Completions of a prompt."""

    name = part_name = "text_completion"

    def asked(self, request: Any) -> str:
        """The prompt."""
        return str(request["prompt"])

    def whole(self, text: str) -> dict[str, Any]:
        """A choice."""
        return {"text": text}

    part = whole


KINDS: dict[str, Chat | Text] = {"/v1/chat/completions": Chat(), "/v1/completions": Text()}
NO_PATH = {"error": {"message": "There is no such path.", "code": 404}}


class Api(BaseHTTPRequestHandler):
    """The part of OpenAI's API that clients use first."""

    model = ""
    key = ""

    def do_GET(self) -> None:
        """Health, and the model."""
        if self.path == "/health":
            self.answer(200, {})
        elif not self.is_let_in():
            self.refuse()
        elif self.path == "/v1/models":
            self.answer(
                200, {"object": "list", "data": [{"id": self.model, "object": "model", "owned_by": "simulated"}]}
            )
        else:
            self.answer(404, NO_PATH)

    def do_POST(self) -> None:
        """An answer to a chat or a prompt, whole or as a stream."""
        body = self.rfile.read(min(MOST_BYTES, int(self.headers.get("Content-Length") or 0)))
        if not self.is_let_in():
            self.refuse()
            return
        kind = KINDS.get(self.path)
        if kind is None:
            self.answer(404, NO_PATH)
            return
        try:
            asked = json.loads(body)
            said = SAID + kind.asked(asked)
        except (ValueError, KeyError, IndexError, TypeError):
            self.answer(400, {"error": {"message": "The request cannot be read.", "code": 400}})
            return
        if asked.get("stream"):
            self.stream(said, kind)
        else:
            whole = self.document(kind.name, {**kind.whole(said), "finish_reason": "stop"})
            self.answer(200, {**whole, "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})

    def stream(self, said: str, kind: Chat | Text) -> None:
        """The words of an answer, one by one."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for word in said.split(" "):
            chunk = self.document(kind.part_name, kind.part(f"{word} "))
            self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def document(self, kind: str, choice: dict[str, Any]) -> dict[str, Any]:
        """An answer's frame."""
        made = {"id": "simulated", "object": kind, "created": int(time.time()), "model": self.model}
        return {**made, "choices": [{"index": 0, "finish_reason": None, **choice}]}

    def is_let_in(self) -> bool:
        """True for a request with the key."""
        return not self.key or self.headers.get("Authorization") == "Bearer " + self.key

    def refuse(self) -> None:
        """As vLLM does without the key."""
        self.answer(401, {"error": "Unauthorized"})

    def answer(self, status: int, document: Any) -> None:
        """Sends a document."""
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Saying(BaseHTTPRequestHandler):
    """One text."""

    text = ""

    def do_GET(self) -> None:
        """The text."""
        body = self.text.encode()
        self.send_response(503)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main(words: list[str]) -> None:
    """Serves until it is killed."""
    if words[:2] == ["vllm", "serve"]:
        Api.model = words[2]
        Api.key = os.environ.get("VLLM_API_KEY", "")
        port = 8000
        if "--port" in words:
            port = int(words[words.index("--port") + 1])
        handler: type[BaseHTTPRequestHandler] = Api
        print("A simulated vLLM serves " + Api.model + " at port " + str(port), flush=True)
    else:
        Saying.text = words[2] + "\n"
        port = int(words[1])
        handler = Saying
    ThreadingHTTPServer(("127.0.0.1", port), handler).serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])
