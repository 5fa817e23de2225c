import { getCompiledTransactionMessageDecoder } from "@solana/transaction-messages";
import { getTransactionDecoder } from "@solana/transactions";
import { readArguments, type Value } from "./arguments.js";
import { fromBase64, toHex } from "./bytes.js";
import { COMPUTE_BUDGET, readForeign } from "./foreign.js";
import { INSTRUCTIONS, PROGRAM_ID } from "./generated/program.js";

const MICRO = 1_000_000n;
const MAX_UNITS = 1_400_000n;
const HAS_PRIORITY_FEE = 0b11;

/** An account that an instruction names, in its role there. */
export interface AccountOf {
  /** The role's name in the program, such as `renter`; undefined where it has none. */
  readonly role: string | undefined;
  readonly address: string;
  readonly signer: boolean;
  readonly writable: boolean;
}

/** One instruction; `name` is undefined if it is not known here, and it is then refused. */
export interface DecodedInstruction {
  readonly program: string;
  readonly name: string | undefined;
  readonly accounts: readonly AccountOf[];
  readonly args: Readonly<Record<string, Value>>;
}

/** A decoded transaction. `priorityFee` is what it offers beyond the price of its signatures, in lamports. */
export interface DecodedTransaction {
  readonly version: "legacy" | 0 | 1;
  readonly feePayer: string;
  readonly signers: readonly string[];
  readonly lookupTables: number;
  readonly priorityFee: bigint;
  readonly instructions: readonly DecodedInstruction[];
}

interface Raw {
  readonly program: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

type Message = ReturnType<ReturnType<typeof getCompiledTransactionMessageDecoder>["decode"]>;

/** Decodes a transaction of any version, signed or not, from its wire bytes or their base64. */
export function decodeTransaction(transaction: Uint8Array | string): DecodedTransaction {
  const bytes = typeof transaction === "string" ? fromBase64(transaction) : transaction;
  const message = getCompiledTransactionMessageDecoder().decode(getTransactionDecoder().decode(bytes).messageBytes);
  const keys: readonly string[] = message.staticAccounts;
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = message.header;
  const account = (index: number, role: string | undefined): AccountOf => {
    const signer = index < numSignerAccounts;
    const firstReadonly = signer
      ? numSignerAccounts - numReadonlySignerAccounts
      : keys.length - numReadonlyNonSignerAccounts;
    return { role, address: keys[index] ?? "in a lookup table", signer, writable: index < firstReadonly };
  };
  const instructions = rawInstructions(message).map((raw): DecodedInstruction => {
    const program = keys[raw.program] ?? "in a lookup table";
    const { name, roles, args } = read(program, raw.data);
    return { program, name, accounts: raw.accounts.map((index, place) => account(index, roles[place])), args };
  });
  return {
    version: message.version,
    feePayer: keys[0] ?? "",
    signers: keys.slice(0, numSignerAccounts),
    lookupTables: message.version === 0 ? (message.addressTableLookups?.length ?? 0) : 0,
    priorityFee: priorityFee(message, instructions),
    instructions,
  };
}

function rawInstructions(message: Message): Raw[] {
  if (message.version !== 1) {
    return message.instructions.map((one) => ({
      program: one.programAddressIndex,
      accounts: one.accountIndices ?? [],
      data: Uint8Array.from(one.data ?? []),
    }));
  }
  return message.instructionHeaders.map((header, place) => {
    const payload = message.instructionPayloads[place];
    return {
      program: header.programAccountIndex,
      accounts: payload?.instructionAccountIndices ?? [],
      data: Uint8Array.from(payload?.instructionData ?? []),
    };
  });
}

function read(program: string, data: Uint8Array) {
  const unknown = { name: undefined, roles: [] as readonly string[], args: {} };
  if (program !== PROGRAM_ID) {
    const foreign = readForeign(program, data);
    return foreign === undefined ? unknown : { name: foreign.name, roles: foreign.accounts, args: foreign.args };
  }
  const row = INSTRUCTIONS[toHex(data.subarray(0, 8))];
  if (row === undefined) return unknown;
  try {
    const roles = row[1].split(" ").map((role) => role.replace("?", ""));
    return { name: row[0], roles, args: readArguments(data.subarray(8), row[2]) };
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return unknown;
    throw error;
  }
}

/** Lamports, rounded up. */
function priorityFee(message: Message, instructions: readonly DecodedInstruction[]): bigint {
  if (message.version === 1) {
    const [first] = message.configValues;
    return message.configMask & HAS_PRIORITY_FEE && first !== undefined ? BigInt(first.value) : 0n;
  }
  const budget = instructions.filter((one) => one.program === COMPUTE_BUDGET);
  const said = (name: string): bigint | undefined =>
    budget.flatMap((one) => Object.entries(one.args)).find(([each]) => each === name)?.[1] as bigint | undefined;
  return ((said("price") ?? 0n) * (said("units") ?? MAX_UNITS) + MICRO - 1n) / MICRO;
}
