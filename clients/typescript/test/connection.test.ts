import assert from "node:assert/strict";
import { test } from "node:test";

import { readConnection } from "../src/connection.js";
import { SealFailed } from "../src/errors.js";

const PLAIN = { host: "a.test", port: 1, password: "p" };
const bytes = (told: unknown) => new TextEncoder().encode(JSON.stringify(told));

test("connection__of_an_honest_host__is_read", () => {
  const told = { ...PLAIN, host: "::1", https: { 80: 81 }, ports: { 22: 23 }, terminal: 24, host_key: "ssh-ed25519 AA+/==" };
  const read = readConnection(bytes(told));
  assert.equal(read.user, "root");
  assert.equal(read.hostKey, told.host_key);
  assert.deepEqual(read.urls, { 80: "https://[::1]:81/" });
  assert.equal(read.terminal, "wss://[::1]:24/");
  assert.equal(readConnection(bytes({ ...PLAIN, host_key: null, certificate: null, terminal: null })).hostKey, undefined);
});

for (const part of [
  { host: "a; true" },
  { host: "-oProxyCommand=true" },
  { host: "a\nb" },
  { user: "-oProxyCommand=true" },
  { port: "1 true" },
  { port: 0 },
  { host_key: "ssh-ed25519 AAAA\n* ssh-ed25519 AAAA" },
  { ports: { "80 -oProxyCommand=true": 1 } },
  { https: { 80: "81@evil.test" } },
  { terminal: 65_536 },
  { certificate: "A" },
]) {
  test(`connection__with_${JSON.stringify(part)}__is_refused`, () => {
    assert.throws(() => readConnection(bytes({ ...PLAIN, ...part })), SealFailed);
  });
}

test("connection__that_is_no_object__is_refused", () => {
  for (const text of ["null", "1", "{", "[]"]) {
    assert.throws(() => readConnection(new TextEncoder().encode(text)), SealFailed);
  }
  assert.throws(() => readConnection(new Uint8Array([0xff])), SealFailed);
});
