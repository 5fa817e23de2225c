import { toBase58 } from "./bytes.js";
import type { Value } from "./arguments.js";

/** The programs beside the market's that a transaction of the market may call. */
export const COMPUTE_BUDGET = "ComputeBudget111111111111111111111111111111";
export const SYSTEM = "11111111111111111111111111111111";
export const TOKEN = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
export const ASSOCIATED_TOKEN = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";

/** Wrapped SOL's mint, which stands for SOL. */
export const NATIVE_MINT = "So11111111111111111111111111111111111111112";

/** An instruction of another program: its name, what its accounts are, its arguments. */
export interface Foreign {
  readonly name: string;
  readonly accounts: readonly string[];
  readonly args: Readonly<Record<string, Value>>;
}

/** Decodes an instruction of a known program; undefined for instructions that the market's transactions never use. */
export function readForeign(program: string, data: Uint8Array): Foreign | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  try {
    if (program === COMPUTE_BUDGET) return budget(view);
    if (program === SYSTEM) return createAccountWithSeed(data, view);
    if (program === TOKEN) return token(data);
    if (program === ASSOCIATED_TOKEN && data.length === 1 && data[0] === 1) {
      return { name: "create_idempotent", accounts: ["payer", "account", "owner", "mint"], args: {} };
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

function budget(view: DataView): Foreign | undefined {
  const kind = view.getUint8(0);
  if (kind === 2)
    return { name: "set_compute_unit_limit", accounts: [], args: { units: BigInt(view.getUint32(1, true)) } };
  if (kind === 3) return { name: "set_compute_unit_price", accounts: [], args: { price: view.getBigUint64(1, true) } };
  return undefined;
}

function createAccountWithSeed(data: Uint8Array, view: DataView): Foreign | undefined {
  if (view.getUint32(0, true) !== 3) return undefined;
  const afterSeed = 44 + Number(view.getBigUint64(36, true));
  if (data.length !== afterSeed + 48) return undefined;
  return {
    name: "create_account_with_seed",
    accounts: ["from", "account"],
    args: {
      base: toBase58(data.subarray(4, 36)),
      lamports: view.getBigUint64(afterSeed, true),
      space: view.getBigUint64(afterSeed + 8, true),
      owner: toBase58(data.subarray(afterSeed + 16)),
    },
  };
}

function token(data: Uint8Array): Foreign | undefined {
  if (data[0] === 18 && data.length === 33) {
    return { name: "initialize_account3", accounts: ["account", "mint"], args: { owner: toBase58(data.subarray(1)) } };
  }
  if (data[0] === 9 && data.length === 1) {
    return { name: "close_account", accounts: ["account", "destination", "owner"], args: {} };
  }
  return undefined;
}
