import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { readPublicKey } from "gpu-market";
import { toBase64, utf8 } from "../src/bytes.js";

const CURVES = { nistp256: "P-256", nistp384: "P-384", nistp521: "P-521" } as const;

function line(kind: string, ...fields: Uint8Array[]): string {
  const parts = [utf8(kind), ...fields].flatMap((field) => [0, 0, field.length >> 8, field.length & 0xff, ...field]);
  return `${kind} ${toBase64(Uint8Array.from(parts))}`;
}

test("public_key__of_each_curve__is_read_where_its_point_is_on_it", () => {
  for (const [curve, namedCurve] of Object.entries(CURVES)) {
    const jwk = generateKeyPairSync("ec", { namedCurve }).publicKey.export({ format: "jwk" });
    const point = Uint8Array.from([4, ...Buffer.from(jwk.x ?? "", "base64url"), ...Buffer.from(jwk.y ?? "", "base64url")]);
    const kind = `ecdsa-sha2-${curve}`;
    const key = line(kind, utf8(curve), point);
    assert.equal(readPublicKey(key), key);
    point[point.length - 1] = (point.at(-1) ?? 0) ^ 1;
    assert.throws(() => readPublicKey(line(kind, utf8(curve), point)), /curve/);
  }
});

test("public_key__that_no_server_takes__is_refused", () => {
  const long = Uint8Array.from([1, ...new Uint8Array(2_047), 1]);
  assert.throws(() => readPublicKey(line("ssh-rsa", Uint8Array.from([1, 0, 1]), long)), /16,384/);
  const application = Uint8Array.from([97, 0, 98]);
  assert.throws(() => readPublicKey(line("sk-ssh-ed25519@openssh.com", new Uint8Array(32), application)), /NUL/);
});
