// Builds and sends instructions with Anchor's TypeScript clients, as published; see tests/clients/test_official.py.
//
// node client.mjs IDL: answers each line, a JSON object, with one; see `build` and `send`.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(import.meta.url);
const web3 = require("@solana/web3.js");
const { rootNodeFromAnchor } = require("@codama/nodes-from-anchor");
const idl = JSON.parse(readFileSync(process.argv[2], "utf8"));
const EVENT_TAG = "e445a52e51cb9a1d";

function programOf(name, rpc, payer) {
  const anchor = require(name);
  const connection = new web3.Connection(rpc, "confirmed");
  const wallet = new anchor.Wallet(web3.Keypair.fromSecretKey(Uint8Array.from(payer)));
  return { anchor, connection, number: clients.size, program: new anchor.Program(idl, new anchor.AnchorProvider(connection, wallet, {})) };
}

const camel = (name) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
const key = (address) => (address === null ? null : new web3.PublicKey(address));

/** A value as the clients take it, of one with integers as text. */
function given(anchor, type, value) {
  if (type === "pubkey") return key(value);
  if (type === "bytes") return Buffer.from(value, "hex");
  if (typeof type === "string") {
    const bits = Number(type.slice(1));
    return bits > 53 ? new anchor.BN(value) : bits ? Number(value) : value;
  }
  if (type.option) return value === null ? null : given(anchor, type.option, value);
  if (type.vec === "u8") return Buffer.from(value, "hex");
  if (type.vec) return value.map((each) => given(anchor, type.vec, each));
  if (type.array?.[0] === "u8") return [...Buffer.from(value, "hex")];
  if (type.array) return value.map((each) => given(anchor, type.array[0], each));
  const body = idl.types.find((each) => each.name === type.defined.name).type;
  if (body.kind === "struct") return fieldsOf(anchor, body.fields, value);
  const [index, fields] = value;
  const variant = body.variants[index];
  return { [camel(variant.name[0].toLowerCase() + variant.name.slice(1))]: fieldsOf(anchor, variant.fields ?? [], fields) };
}

function fieldsOf(anchor, fields, values) {
  const named = fields.map((field, index) =>
    typeof field === "object" && "name" in field ? [camel(field.name), field.type] : [index, field],
  );
  return Object.fromEntries(named.map(([name, type], index) => [name, given(anchor, type, Object.values(values)[index])]));
}

/** A decoded value with integers and addresses as text and bytes in hexadecimal. */
function told(value) {
  if (value === null || typeof value !== "object") return typeof value === "number" ? String(value) : value;
  if (value instanceof web3.PublicKey) return value.toBase58();
  if (value.constructor?.name === "BN") return value.toString();
  if (Buffer.isBuffer(value) || value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (Array.isArray(value)) return value.map(told);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, told(each)]));
}

function methodOf({ anchor, program }, { name, args, accounts, rest }) {
  const types = idl.instructions.find((each) => each.name === name).args.map((arg) => arg.type);
  const values = args.map((value, index) => given(anchor, types[index], value));
  const passed = Object.fromEntries(Object.entries(accounts).map(([role, address]) => [camel(role), key(address)]));
  return program.methods[camel(name)](...values)
    .accountsPartial(passed)
    .remainingAccounts(rest.map((meta) => ({ ...meta, pubkey: key(meta.pubkey) })));
}

function shown(instruction) {
  return {
    data: instruction.data.toString("hex"),
    accounts: instruction.keys.map((meta) => ({ ...meta, pubkey: meta.pubkey.toBase58() })),
  };
}

function failure({ anchor, program }, message) {
  const error = anchor.ProgramError.parse(message, anchor.parseIdlErrors(program.idl));
  return [error.code, error.msg];
}

const asked = {
  async build(client, request) {
    return shown(await methodOf(client, request).instruction());
  },

  async send(client, request) {
    const signers = request.signers.map((secret) => web3.Keypair.fromSecretKey(Uint8Array.from(secret)));
    // Without a number of the client's own it would be the other's transaction, and land once.
    const limit = web3.ComputeBudgetProgram.setComputeUnitLimit({ units: 400_000 + client.number });
    const signature = await methodOf(client, request)
      .preInstructions([limit])
      .signers(signers)
      .rpc({ commitment: "confirmed" });
    const { meta, transaction } = await client.connection.getTransaction(signature, {
      commitment: "confirmed",
      maxSupportedTransactionVersion: 0,
    });
    const keys = transaction.message.getAccountKeys({ accountKeysFromLookups: meta.loadedAddresses });
    const events = meta.innerInstructions
      .flatMap((inner) => inner.instructions)
      .filter((call) => keys.get(call.programIdIndex).toBase58() === idl.address)
      .map((call) => Buffer.from(client.anchor.utils.bytes.bs58.decode(call.data)))
      .filter((data) => data.toString("hex").startsWith(EVENT_TAG))
      .map((data) => client.program.coder.events.decode(data.subarray(EVENT_TAG.length / 2).toString("base64")));
    return events.map((event) => ({ name: event.name, data: told(event.data) }));
  },

  /** Code and text of the error for which a transaction is refused; the message as a whole has the code twice. */
  async refusal(client, request) {
    try {
      await asked.send(client, request);
    } catch (error) {
      return failure(client, error.transactionMessage);
    }
    return null;
  },

  /** The same for each error code. */
  async errors(client, codes) {
    return codes.map((code) => failure(client, `custom program error: 0x${code.toString(16)}`));
  },

  async account(client, { kind, address }) {
    return told(await client.program.account[camel(kind[0].toLowerCase() + kind.slice(1))].fetch(key(address)));
  },
};

/** Each instruction's accounts with what codama fills them in from. */
function codama() {
  const root = rootNodeFromAnchor(idl);
  return Object.fromEntries(
    root.program.instructions.map((instruction) => [
      instruction.name,
      instruction.accounts.map(({ name, defaultValue }) => [name, defaultValue?.kind ?? null, defaultValue?.publicKey ?? null]),
    ]),
  );
}

const clients = new Map();
for await (const line of createInterface({ input: process.stdin })) {
  const { client: name, rpc, payer, call, request } = JSON.parse(line);
  let answer;
  try {
    if (call === "codama") answer = { result: codama() };
    else {
      if (!clients.has(name)) clients.set(name, programOf(name, rpc, payer));
      answer = { result: await asked[call](clients.get(name), request) };
    }
  } catch (error) {
    answer = { error: String(error.stack ?? error), logs: error.logs };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
process.exit(0);
