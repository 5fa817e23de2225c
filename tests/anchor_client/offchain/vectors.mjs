// Reads texts from standard input; writes the envelopes that Solana's own package and Ledger's own make of each.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const modules = process.argv[2];
const require = createRequire(join(modules, "vectors.cjs"));
const { getOffchainMessageV0Encoder, getOffchainMessageV1Encoder } = require("@solana/offchain-messages");
const LEDGER = "@ledgerhq/device-signer-kit-solana/lib/cjs/internal/app-binder/services/OffchainMessageBuilder.js";
const { OffchainMessageBuilder } = require(join(modules, LEDGER));

const hex = (bytes) => Buffer.from(bytes).toString("hex");
const made = (make) => {
  try {
    return hex(make());
  } catch {
    return null;
  }
};
const cases = JSON.parse(readFileSync(0, "utf8"));
const told = cases.map(({ text, signer, signerKey, application }) => {
  const bytes = new TextEncoder().encode(text);
  const key = new Uint8Array(Buffer.from(signerKey, "hex"));
  const ledger = new OffchainMessageBuilder();
  const requiredSignatories = [{ address: signer }];
  const kit = (format) =>
    made(() =>
      getOffchainMessageV0Encoder().encode({
        version: 0,
        applicationDomain: application,
        content: { format, text },
        requiredSignatories,
      }),
    );
  return {
    "kit 0 ascii": kit(0),
    "kit 0 utf-8": kit(1),
    "kit 1": made(() => getOffchainMessageV1Encoder().encode({ version: 1, content: text, requiredSignatories })),
    "ledger 0": made(() => ledger.buildV0(bytes, key)),
    "ledger 0 short": made(() => ledger.buildLegacy(bytes)),
    "ledger 1": made(() => ledger.buildV1(bytes, [key])),
    "ledger 1 with a length": made(() => ledger.buildV1(bytes, [key], true)),
  };
});
console.log(JSON.stringify(told));
