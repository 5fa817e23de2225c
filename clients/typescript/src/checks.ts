import type { Value } from "./arguments.js";
import { DraftRefused, type Difference } from "./errors.js";
import { ASSOCIATED_TOKEN, COMPUTE_BUDGET, SYSTEM, TOKEN } from "./foreign.js";
import { PROGRAM_ID } from "./generated/program.js";
import type { DecodedInstruction, DecodedTransaction } from "./transaction.js";

/** Expected argument: that value, or a maximum of base units. */
export type Wanted = Value | { readonly atMost: bigint };

/** An instruction of the market that a transaction must have once, or may. */
export interface ExpectedInstruction {
  /** One of these. */
  readonly names: readonly string[];
  readonly optional?: boolean;
  /** By their paths, such as `order.max_deposit`. */
  readonly args?: Readonly<Record<string, Wanted>>;
  /** Addresses by role. */
  readonly accounts?: Readonly<Record<string, string>>;
}

/** Requirements of a drafted transaction before it is signed. */
export interface Expected {
  readonly instructions: readonly ExpectedInstruction[];
  /** Most lamports that it may put into accounts of its own, to wrap SOL; by default none. */
  readonly wraps?: bigint;
}

/** Rent of a token account, in addition to the wrapped lamports; returned when it is closed. */
const TOKEN_ACCOUNT_RENT = 10_000_000n;

/**
 * Throws DraftRefused unless a transaction is what is expected, for `wallet` alone and at a priority fee of at most
 * `maxPriorityFee` lamports.
 */
export function verify(decoded: DecodedTransaction, expected: Expected, wallet: string, maxPriorityFee: bigint): void {
  const found = differences(decoded, expected, wallet, maxPriorityFee);
  if (found.length > 0) throw new DraftRefused(found);
}

/** Everything in a transaction that is not as expected; nothing if it may be signed. */
export function differences(
  decoded: DecodedTransaction,
  expected: Expected,
  wallet: string,
  maxPriorityFee: bigint,
): readonly Difference[] {
  const found: Difference[] = [];
  const must = (holds: boolean, what: string, wanted: string, got: string): void => {
    if (!holds) found.push({ what, expected: wanted, found: got });
  };
  must(decoded.feePayer === wallet, "fee payer", wallet, decoded.feePayer);
  must(decoded.signers.length === 1, "signers", wallet, decoded.signers.join(", "));
  must(decoded.lookupTables === 0, "lookup tables", "none", String(decoded.lookupTables));
  must(
    decoded.priorityFee <= maxPriorityFee,
    "priority fee",
    `at most ${maxPriorityFee} lamports`,
    String(decoded.priorityFee),
  );
  const market = decoded.instructions.filter((one) => one.program === PROGRAM_ID);
  const others = decoded.instructions.filter((one) => one.program !== PROGRAM_ID);
  const matched = new Set<DecodedInstruction>();
  for (const wanted of expected.instructions) {
    const fitting = market.filter((one) => one.name !== undefined && wanted.names.includes(one.name));
    const most = fitting.length <= 1;
    must(
      most && (fitting.length === 1 || wanted.optional === true),
      "instruction",
      wanted.names.join(" or "),
      names(market),
    );
    for (const one of fitting) {
      matched.add(one);
      found.push(...instructionDifferences(one, wanted));
    }
  }
  for (const one of market) must(matched.has(one), "instruction", "no other", one.name ?? "unknown");
  found.push(...otherDifferences(others, wallet, expected.wraps ?? 0n));
  return found;
}

function instructionDifferences(one: DecodedInstruction, wanted: ExpectedInstruction): Difference[] {
  const found: Difference[] = [];
  for (const [path, value] of Object.entries(wanted.args ?? {})) {
    const got = path
      .split(".")
      .reduce<Value | undefined>((part, name) => (part as Record<string, Value> | undefined)?.[name], one.args);
    if (!isAs(got, value)) found.push({ what: `${one.name}.${path}`, expected: told(value), found: told(got) });
  }
  for (const [role, address] of Object.entries(wanted.accounts ?? {})) {
    const got = addressOf(one, role);
    if (got !== address) found.push({ what: `${one.name}.${role}`, expected: address, found: got ?? "none" });
  }
  return found;
}

/** Other programs may only make token accounts of the wallet's own, and wrap up to `wraps` lamports of SOL. */
function otherDifferences(others: readonly DecodedInstruction[], wallet: string, wraps: bigint): Difference[] {
  const created = new Set(
    others
      .filter((one) => one.program === SYSTEM && one.args["base"] === wallet)
      .map((one) => addressOf(one, "account")),
  );
  const limits: Readonly<Record<string, (one: DecodedInstruction) => boolean>> = {
    [COMPUTE_BUDGET]: () => true,
    [SYSTEM]: (one) =>
      wraps > 0n &&
      created.size === 1 &&
      one.args["base"] === wallet &&
      one.args["owner"] === TOKEN &&
      (one.args["lamports"] as bigint) <= wraps + TOKEN_ACCOUNT_RENT,
    [TOKEN]: (one) =>
      created.has(addressOf(one, "account")) &&
      (one.name === "initialize_account3" ? one.args["owner"] === wallet : addressOf(one, "destination") === wallet),
    [ASSOCIATED_TOKEN]: (one) => addressOf(one, "payer") === wallet && addressOf(one, "owner") === wallet,
  };
  return others
    .filter((one) => one.name === undefined || limits[one.program]?.(one) !== true)
    .map((one) => ({
      what: "instruction of another program",
      expected: "none that costs",
      found: `${one.program} ${one.name ?? "unknown"}`,
    }));
}

const addressOf = (one: DecodedInstruction, role: string): string | undefined =>
  one.accounts.find((account) => account.role === role)?.address;

const names = (of: readonly DecodedInstruction[]): string =>
  of.map((one) => one.name ?? "unknown").join(", ") || "none";

function isAs(got: Value | undefined, wanted: Wanted): boolean {
  if (isLimit(wanted)) return typeof got === "bigint" && got <= wanted.atMost;
  return told(got) === told(wanted);
}

const isLimit = (wanted: Wanted | undefined): wanted is { readonly atMost: bigint } =>
  typeof wanted === "object" && "atMost" in wanted;

function told(value: Wanted | undefined): string {
  if (isLimit(value)) return `at most ${value.atMost}`;
  return typeof value === "object"
    ? JSON.stringify(value, (_, each) => (typeof each === "bigint" ? String(each) : each))
    : String(value);
}
