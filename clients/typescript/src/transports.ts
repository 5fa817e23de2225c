import { ApiUnreachable } from "./errors.js";

/** Texts that come from a URL until the server or `signal` ends them; `changing` gets what changes the topics of an
 * open connection, and says whether it could. ApiUnreachable. */
export type Transport = (
  url: string,
  signal: AbortSignal,
  changing: (change: (topics: object) => boolean) => void,
) => AsyncIterable<string>;

/** By WebSocket. */
export const sockets: Transport = async function* (url, signal, changing) {
  const socket = new WebSocket(url.replace(/^http/, "ws"));
  const waiting: (string | undefined)[] = [];
  let wake = (): void => undefined;
  const tell = (text?: string): void => {
    waiting.push(text);
    wake();
  };
  socket.addEventListener("message", ({ data }) => tell(String(data)));
  socket.addEventListener("close", () => tell());
  signal.addEventListener("abort", () => socket.close(), { once: true });
  changing((change) => {
    const send = (): void => socket.send(JSON.stringify(change));
    if (socket.readyState === WebSocket.CONNECTING) socket.addEventListener("open", send, { once: true });
    else if (socket.readyState === WebSocket.OPEN) send();
    else return false;
    return true;
  });
  try {
    while (!signal.aborted) {
      while (waiting.length > 0) {
        const text = waiting.shift();
        if (text === undefined) return;
        yield text;
      }
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    socket.close();
  }
};

/** By server-sent events, where there is no WebSocket, as in Node 20. */
export const lines: Transport = async function* (url, signal) {
  const answer = await fetch(url, { signal, headers: { Accept: "text/event-stream" } }).catch((error: unknown) => {
    throw new ApiUnreachable("The feed does not answer", { cause: error });
  });
  if (answer.status === 422) {
    yield JSON.stringify({ type: "error", error: "not_understood", detail: await answer.text() });
    return;
  }
  if (!answer.ok || answer.body === null) throw new ApiUnreachable(`The feed answers ${answer.status}`);
  let rest = "";
  const decoder = new TextDecoder();
  const reader = answer.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }) as const);
      if (done || value === undefined) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      for (const line of parts) if (line.startsWith("data: ")) yield line.slice("data: ".length);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
};
