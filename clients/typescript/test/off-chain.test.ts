import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Wallet } from "@wallet-standard/base";
import { PROGRAM_ID, SigningRefused, walletSigner } from "gpu-market";
import { fromBase58, toBase58, toHex, utf8 } from "../src/bytes.js";
import { envelope, holds } from "../src/off-chain.js";
import { keypair, wallet } from "./parties.js";

const TEXT = utf8("market.example wants you to sign in\nwith two lines");
const CHAIN = "solana:localnet";

/** A wallet whose key is on a device: it refuses any other message. */
async function device(features: object = {}) {
  const keys = await keypair();
  const asked: Uint8Array[] = [];
  const signMessage = async (message: Uint8Array) => {
    asked.push(message);
    if (message[0] !== 0xff) throw new Error("6a81");
    return keys.signMessage(message);
  };
  const party = wallet({ ...keys, signMessage }, [0]);
  const made = { ...party.wallet, features: { ...party.wallet.features, ...features } } as Wallet;
  return { keys, asked, wallet: made, account: party.account };
}

test("envelope__of_this_market__is_the_one_that_the_packages_make", async () => {
  const { address } = await keypair();
  const length = [TEXT.length, 0];
  const header = [0xff, ...utf8("solana offchain"), 0, ...fromBase58(PROGRAM_ID), 1, 1, ...fromBase58(address)];
  assert.equal(toHex(envelope(TEXT, address)), toHex(Uint8Array.from([...header, ...length, ...TEXT])));
  assert.equal(envelope(utf8("one line"), address)[49], 0);
  assert.throws(() => envelope(new Uint8Array(1_148), address), RangeError);
  const recorded = new URL("../../../../tests/anchor_client/offchain/vectors.json", import.meta.url);
  const made = (JSON.parse(readFileSync(recorded, "utf8")) as { made: Record<string, string | null>[] }).made;
  const [first] = made;
  const signed = Uint8Array.from(Buffer.from(first?.["kit 0 utf-8"] ?? "", "hex"));
  const text = signed.subarray(85);
  assert.equal(toHex(envelope(text, toBase58(signed.subarray(51, 83)))), toHex(signed));
  for (const each of Object.values(first ?? {})) {
    if (each !== null) assert.ok(holds(Uint8Array.from(Buffer.from(each, "hex")), text));
  }
});

test("wallet__with_its_key_on_a_device__signs_the_envelope", async () => {
  const party = await device({ "solana:signIn": { version: "1.0.0", signIn: () => Promise.reject(new Error("6a81")) } });
  const signer = walletSigner(party.wallet, party.account, CHAIN, { hardware: true });
  const signed = envelope(TEXT, signer.address);
  assert.equal(toHex(await signer.signMessage(TEXT)), toHex(await party.keys.signMessage(signed)));
  assert.equal(toHex(party.asked[0] ?? TEXT), toHex(signed));
  assert.equal(signer.signIn, undefined);
  const plain = walletSigner(party.wallet, party.account, CHAIN);
  await assert.rejects(plain.signMessage(TEXT), (error: SigningRefused) => error.remedy.includes("hardware wallet"));
});

test("wallet__that_wraps_by_itself__is_taken_where_the_text_is_the_same", async () => {
  const { keys, wallet: base, account } = await device();
  const wrapping = (text: Uint8Array) => ({
    "solana:signMessage": {
      version: "1.0.0",
      signMessage: async () => {
        const signedMessage = envelope(text, keys.address);
        return [{ signedMessage, signature: await keys.signMessage(signedMessage) }];
      },
    },
  });
  const signer = (text: Uint8Array) =>
    walletSigner({ ...base, features: { ...base.features, ...wrapping(text) } } as Wallet, account, CHAIN);
  assert.equal((await signer(TEXT).signMessage(TEXT)).length, 64);
  await assert.rejects(signer(utf8("another")).signMessage(TEXT), SigningRefused);
  await assert.rejects(signer(envelope(TEXT, keys.address)).signMessage(TEXT), SigningRefused);
});

test("wallet__with_off_chain_messages_of_its_own__is_asked_for_the_text", async () => {
  const inputs: object[] = [];
  const party = await device();
  const signOffchainMessage = async (input: { message: string; account: { publicKey: Uint8Array } }) => {
    inputs.push(input);
    const header = [0xff, ...utf8("solana offchain"), 1, 1, ...input.account.publicKey];
    const signedOffchainMessage = Uint8Array.from([...header, ...utf8(input.message)]);
    return [{ signedOffchainMessage, signature: await party.keys.signMessage(signedOffchainMessage) }];
  };
  const feature = { version: "1.0.0", supportedMessageVersions: [1], signOffchainMessage };
  const { "solana:signMessage": _, ...rest } = party.wallet.features as Record<string, unknown>;
  const only = { ...party.wallet, features: { ...rest, "solana:signOffchainMessage": feature } } as Wallet;
  assert.equal((await walletSigner(only, party.account, CHAIN).signMessage(TEXT)).length, 64);
  const [input] = inputs as [{ messageVersion: number; requiredSigners: readonly Uint8Array[] }];
  assert.deepEqual([input.messageVersion, input.requiredSigners], [1, [party.account.publicKey]]);
  const none = { ...only, features: rest } as Wallet;
  assert.throws(() => walletSigner(none, party.account, CHAIN), SigningRefused);
});
