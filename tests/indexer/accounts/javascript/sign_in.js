// Reads cases from standard input; writes what the wallet standard's own package makes of them.
import { createSignInMessageText, parseSignInMessageText, verifySignIn } from "@solana/wallet-standard-util";
import { readFileSync } from "node:fs";

const bytes = (hex) => new Uint8Array(Buffer.from(hex, "hex"));
const { inputs, texts, outputs } = JSON.parse(readFileSync(0, "utf8"));
const told = {
  texts: inputs.map((input) => createSignInMessageText(input)),
  parsed: texts.map((text) => parseSignInMessageText(text)),
  verified: outputs.map(({ input, publicKey, signedMessage, signature }) =>
    verifySignIn(input, {
      account: { publicKey: bytes(publicKey) },
      signedMessage: bytes(signedMessage),
      signature: bytes(signature),
    }),
  ),
};
console.log(JSON.stringify(told));
