/**
 * The terminal's own document, in a sandboxed frame of a job's page. It has an origin that is nobody's: neither it nor
 * what a machine sends to it reaches the page, its storage or the API, and the page itself may not connect to machines.
 */
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import "./terminal.css";
import { figures } from "./figures";
import type { Opening, Told } from "./messages";

/** Bytes of one message; the machine refuses longer ones. */
const MOST_BYTES = 32_768;
const page = new URL(location.href).origin;
const tell = (told: Told): void => parent.postMessage(told, page);

const terminal = new Terminal({ theme: { background: "#11150f" }, fontSize: 13, cursorBlink: false });
const fit = new FitAddon();
terminal.loadAddon(fit);
terminal.open(document.getElementById("terminal") as HTMLElement);
fit.fit();

function dial({ url, password, shows }: Opening): void {
  const isShell = shows === "shell";
  terminal.options.convertEol = !isShell;
  terminal.options.disableStdin = !isShell;
  const socket = new WebSocket(url);
  const size = () => ({ columns: terminal.cols, rows: terminal.rows });
  const encoder = new TextEncoder();
  let wasOpen = false;
  socket.binaryType = "arraybuffer";
  socket.onopen = () => socket.send(JSON.stringify({ password, shows, ...size() }));
  socket.onmessage = ({ data }) => {
    if (!wasOpen) tell({ kind: "open" });
    wasOpen = true;
    if (!(data instanceof ArrayBuffer)) return;
    terminal.write(shows === "gpus" ? figures(new TextDecoder().decode(data)) : new Uint8Array(data));
  };
  socket.onclose = ({ code, reason }) => {
    terminal.options.disableStdin = true;
    tell({ kind: "closed", wasOpen, code, reason });
  };
  const type = (bytes: Uint8Array) => {
    for (let at = 0; isShell && wasOpen && at < bytes.length; at += MOST_BYTES) socket.send(bytes.slice(at, at + MOST_BYTES));
  };
  terminal.onData((text) => type(encoder.encode(text)));
  terminal.onBinary((text) => type(Uint8Array.from(text, (each) => each.charCodeAt(0))));
  terminal.onResize(() => {
    if (isShell && wasOpen) socket.send(JSON.stringify(size()));
  });
  new ResizeObserver(() => fit.fit()).observe(document.body);
  terminal.focus();
}

addEventListener(
  "message",
  ({ source, origin, data }: MessageEvent<Opening>) => {
    if (source === parent && origin === page) dial(data);
  },
  { once: true },
);
tell({ kind: "ready" });
