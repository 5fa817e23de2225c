import { fromBase64 } from "./bytes.js";
import { SealFailed } from "./errors.js";

/** The renter's access to the machine: the password is made for this job and dies with it. */
export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** The machine's SSH key as known_hosts has it; undefined if the first key seen must be trusted. */
  readonly hostKey: string | undefined;
  /** Days after the rental for which the host keeps the workspace; undefined if the order does not ask for it. */
  readonly keepDays: number | undefined;
  /** Public port of each forwarded TCP port of the container, on the same host. */
  readonly ports: Readonly<Record<number, number>>;
  /** The URL of each of its HTTP ports. */
  readonly urls: Readonly<Record<number, string>>;
  /** The URL of a terminal for browsers, by WebSocket; undefined where there is none. */
  readonly terminal: string | undefined;
  /** SHA-256 of the certificate of both, as browsers show it; undefined if browsers trust it. */
  readonly fingerprint: string | undefined;
}

/** A name or an IP address: a host could otherwise write commands of ssh that are copied from here. */
const HOST = /^[A-Za-z0-9_:][A-Za-z0-9._:-]{0,252}$/;
const USER = /^[A-Za-z_][A-Za-z0-9._-]{0,31}$/;
const HOST_KEY = /^[a-z0-9@.-]+ [A-Za-z0-9+/]+={0,2}$/;
const CERTIFICATE = /^[A-Za-z0-9+/]{43}$/;

/** The connection that a host has sealed, as JSON. */
export function readConnection(json: Uint8Array): Connection {
  const told = objectIn(json);
  const { user = "root", host_key: hostKey, keep_days: keepDays, ports = {}, https = {}, certificate, terminal } = told;
  const { host, port, password } = told;
  if (
    !isText(host, HOST) ||
    !isText(user, USER) ||
    !isPort(port) ||
    typeof password !== "string" ||
    !(hostKey === undefined || hostKey === null || isText(hostKey, HOST_KEY)) ||
    !(certificate === undefined || certificate === null || isText(certificate, CERTIFICATE)) ||
    !(terminal === undefined || terminal === null || isPort(terminal)) ||
    !arePorts(ports) ||
    !arePorts(https)
  ) {
    throw unreadable();
  }
  const urls = Object.entries(https).map(([inside, at]) => [inside, url("https", host, at)] as const);
  return {
    host,
    port,
    user,
    password,
    hostKey: hostKey ?? undefined,
    keepDays: typeof keepDays === "number" ? keepDays : undefined,
    ports,
    urls: Object.fromEntries(urls),
    terminal: isPort(terminal) ? url("wss", host, terminal) : undefined,
    fingerprint: certificate ? shown(certificate) : undefined,
  };
}

function objectIn(json: Uint8Array): Record<string, unknown> {
  try {
    const told: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json));
    if (typeof told === "object" && told !== null) return told as Record<string, unknown>;
  } catch {
    // Neither is text that is no JSON a connection.
  }
  throw unreadable();
}

function unreadable(): SealFailed {
  return new SealFailed(
    "unreadable",
    "The host's connection cannot be read",
    "Stop the job with the issue unreachable.",
  );
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === "string" && pattern.test(value);
}

function isPort(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 65_535;
}

function arePorts(value: unknown): value is Record<number, number> {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).every(([inside, at]) => /^[0-9]+$/.test(inside) && isPort(Number(inside)) && isPort(at));
}

function url(scheme: string, host: string, port: number): string {
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}/`;
}

/** Bytes of unpadded base64 as pairs of hex digits. */
function shown(base64: string): string {
  const pairs = Array.from(fromBase64(`${base64}=`), (byte) => byte.toString(16).padStart(2, "0"));
  return pairs.join(":").toUpperCase();
}
