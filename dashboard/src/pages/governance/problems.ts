import { MOST_TERMS } from "gpu-market";
import { known } from "../../data/market.svelte";
import { isAddress, isWhole } from "../../format/typed";
import { amountOf, budgetOf, presentTerms, referenceOf, type Form } from "./motions";
import { bounded, inWords, read } from "./parameter";
import { termsChange, termsOf, termsProblems } from "./terms";

const MOST_TITLE = 200;
const U16 = 2 ** 16 - 1;
const U32 = 2n ** 32n - 1n;
const U64 = 2n ** 64n - 1n;
const HASH = /^[0-9a-f]{64}$/;

type Field = Exclude<keyof Form, "kind" | "title" | "area" | "paused" | "key">;
type Check = (form: Form) => string | undefined;

const CURRENT = "That is its current value.";

const within = (units: bigint | null, least: bigint): boolean => units !== null && units >= least && units <= U64;

const CHECKS: Readonly<Record<Field, Check>> = {
  parameter: (form) => (bounded(form.parameter, known.settings?.testing ?? false) ? undefined : "Choose a parameter."),

  value: (form) => {
    const limits = bounded(form.parameter, known.settings?.testing ?? false);
    if (!limits) return undefined;
    const value = read(limits.unit, form.value, known.marketToken);
    if (value === null) return "Give a number.";
    if (value < limits.least || value > limits.most) {
      const least = inWords(limits.unit, limits.least, known.marketToken);
      const most = inWords(limits.unit, limits.most, known.marketToken);
      return `It may be from ${least} to ${most}.`;
    }
    return String(value) === known.settings?.parameters[form.parameter] ? CURRENT : undefined;
  },

  host: (form) => {
    if (!isAddress(form.host)) return "Give the address of a host's account, as its page has it.";
    const host = known.hosts[form.host.trim()];
    return form.kind === "revoke_host" && host && !host.approved ? "This host is not approved." : undefined;
  },

  budget: (form) => {
    const budget = budgetOf(form);
    if (!within(budget, 0n)) return "Give an amount of tokens, or 0.";
    const host = known.hosts[form.host.trim()];
    return host?.approved && String(budget) === host.subsidy_budget ? CURRENT : undefined;
  },

  mint: (form) => {
    const unknown = form.kind === "update_payment_mint" && !presentTerms(form);
    return form.mint && !unknown ? undefined : "Choose a token.";
  },

  amount: (form) => (within(amountOf(form), 1n) ? undefined : "Give an amount of tokens."),

  to: (form) => (isAddress(form.to) ? undefined : "Give an address."),

  new_mint: (form) => {
    if (!isAddress(form.new_mint)) return "Give the address of a mint.";
    const mint = form.new_mint.trim();
    if (form.kind === "add_payment_mint") {
      const taken = known.tokens.some((token) => token.mint === mint);
      return taken ? "It is already accepted: change its terms." : undefined;
    }
    return known.terms?.reward_mints.includes(mint) ? "It is already one." : undefined;
  },

  terms: (form) => {
    const [wrong] = Object.values(problemsOfTerms(form));
    if (wrong) return wrong;
    const present = presentTerms(form);
    return present && !termsChange(present, termsOf(form.terms)) ? "These are the current terms." : undefined;
  },

  model: (form) => (isWhole(form.model, 1, U16) ? undefined : `Choose a model, or give a number from 1 to ${U16}.`),

  points: (form) => (isWhole(form.points, 0, U16) ? undefined : `Give a whole number up to ${U16}.`),

  reference: (form) => {
    const reference = referenceOf(form);
    const fits = reference !== null && reference <= U32;
    return fits ? undefined : "Give dollars per GPU-hour, such as 2.76; 0 for no subsidy.";
  },

  shard: (form) => {
    const last = MOST_TERMS.shards - 1;
    return isWhole(form.shard, 0, last) ? undefined : `Give a number up to ${last}.`;
  },

  buffer: (form) => (isAddress(form.buffer) ? undefined : "Give the address of a buffer."),

  sha256: (form) => (HASH.test(form.sha256.trim()) ? undefined : "Give the code's SHA-256: 64 hexadecimal digits."),
};

/** Fields that each kind of proposal asks for. */
const ASKED: Readonly<Record<Form["kind"], readonly Field[]>> = {
  set_parameter: ["parameter", "value"],
  approve_host: ["host", "budget"],
  revoke_host: ["host"],
  set_paused: [],
  treasury_transfer: ["mint", "amount", "to"],
  set_key: ["to"],
  add_payment_mint: ["new_mint", "terms"],
  update_payment_mint: ["mint", "terms"],
  add_reward_mint: ["new_mint"],
  set_gpu_model: ["model", "points", "reference"],
  withdraw_unreserved: ["mint", "shard", "amount"],
  upgrade_program: ["buffer", "sha256"],
};

/** Problems of the input, by field; empty if it can be proposed. */
export function problems(form: Form): Partial<Record<keyof Form, string>> {
  const found: Partial<Record<keyof Form, string>> = {};
  for (const field of ASKED[form.kind]) {
    const problem = CHECKS[field](form);
    if (problem) found[field] = problem;
  }
  if (form.title.length > MOST_TITLE) found.title = `A title has at most ${MOST_TITLE} characters.`;
  return found;
}

/** Problems of the typed terms, by field. */
export function problemsOfTerms(form: Form): ReturnType<typeof termsProblems> {
  const mint = form.kind === "add_payment_mint" ? form.new_mint.trim() : form.mint;
  return termsProblems(form.terms, mint === known.settings?.market_mint, presentTerms(form)?.shards ?? 1);
}
