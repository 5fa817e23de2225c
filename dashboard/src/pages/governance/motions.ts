import { MOST_TERMS, type Action } from "gpu-market";
import { known } from "../../data/market.svelte";
import { baseUnits } from "../../format/amount";
import { isAddress, isWhole } from "../../format/typed";
import { bounded, inWords, read } from "./parameter";
import { EMPTY_TERMS, termsChange, termsOf, termsProblems, type TermsForm } from "./terms";

/** What can be proposed here. */
export const KINDS = {
  set_parameter: "Change a parameter",
  approve_host: "Approve a host",
  revoke_host: "Revoke a host's approval",
  set_paused: "Pause or resume part of the market",
  treasury_transfer: "Pay from the treasury",
  set_key: "Replace a key of the market",
  add_payment_mint: "Accept payments in another token",
  update_payment_mint: "Change the terms of a payment token",
  add_reward_mint: "Pay rewards in another token",
  set_gpu_model: "Set a GPU model's points and reference price",
  withdraw_unreserved: "Withdraw a vault's unreserved tokens",
  upgrade_program: "Upgrade the program",
} as const;
export const AREAS = ["orders", "hosts", "prices"] as const;
export const KEYS = ["guardian", "treasury"] as const;

/** What the form holds, as typed. */
export interface Form {
  kind: keyof typeof KINDS;
  parameter: string;
  value: string;
  /** The account of a host. */
  host: string;
  /** Market tokens that its machines' orders may draw in a day. */
  budget: string;
  area: (typeof AREAS)[number];
  paused: boolean;
  mint: string;
  amount: string;
  key: (typeof KEYS)[number];
  /** Who is paid, or the new key. */
  to: string;
  /** A mint that the market does not know yet. */
  new_mint: string;
  terms: TermsForm;
  /** The number of a GPU model. */
  model: string;
  points: string;
  /** Dollars per GPU-hour. */
  reference: string;
  /** The number of a vault. */
  shard: string;
  /** The account that holds the code of an upgrade, and the code's hash. */
  buffer: string;
  sha256: string;
  title: string;
}

export const EMPTY: Readonly<Form> = {
  ...{ kind: "set_parameter", parameter: "", value: "", host: "", budget: "0", area: "orders", paused: true, mint: "", amount: "" },
  ...{ key: "guardian", to: "", title: "", new_mint: "", terms: { ...EMPTY_TERMS }, model: "", points: "", reference: "" },
  ...{ shard: "0", buffer: "", sha256: "" },
};

const MOST_TITLE = 200;
const U64 = 2n ** 64n - 1n;
const FIELDS: Readonly<Record<Form["kind"], readonly (keyof Form)[]>> = {
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
const HASH = /^[0-9a-f]{64}$/;
const U16 = 2 ** 16 - 1;
const U32 = 2 ** 32 - 1;
const MICRO = 6;

const within = (units: bigint | null, least: bigint): bigint | null => (units !== null && units >= least && units <= U64 ? units : null);

/** What is wrong with what was typed, by field; nothing if it can be proposed. */
export function problems(form: Form): Partial<Record<keyof Form, string>> {
  const found: Partial<Record<keyof Form, string>> = {};
  const limits = bounded(form.parameter, known.settings?.testing ?? false);
  const value = limits && read(limits.unit, form.value, known.marketToken);
  if (!limits) found.parameter = "Choose a parameter.";
  else if (value === null || value === undefined) found.value = "Give a number.";
  else if (value < limits.least || value > limits.most) {
    found.value = `It may be from ${inWords(limits.unit, limits.least, known.marketToken)} to ${inWords(limits.unit, limits.most, known.marketToken)}.`;
  } else if (String(value) === known.settings?.parameters[form.parameter]) found.value = "That is its current value.";
  if (!isAddress(form.host)) found.host = "Give the address of a host's account, as its page has it.";
  const host = known.hosts[form.host.trim()];
  if (form.kind === "revoke_host" && host && !host.approved) found.host = "This host is not approved.";
  if (within(budgetOf(form), 0n) === null) found.budget = "Give an amount of tokens, or 0.";
  else if (host?.approved && String(budgetOf(form)) === host.subsidy_budget) found.budget = "That is its current value.";
  if (!form.mint || (form.kind === "update_payment_mint" && !presentTerms(form))) found.mint = "Choose a token.";
  if (within(amountOf(form), 1n) === null) found.amount = "Give an amount of tokens.";
  if (!isAddress(form.to)) found.to = "Give an address.";
  const isNew = form.kind === "add_payment_mint";
  const taken = isNew ? known.tokens.map(({ mint }) => mint) : (known.terms?.reward_mints ?? []);
  if (!isAddress(form.new_mint)) found.new_mint = "Give the address of a mint.";
  else if (taken.includes(form.new_mint.trim())) found.new_mint = isNew ? "It is already accepted: change its terms." : "It is already one.";
  const [wrongTerms] = Object.values(problemsOfTerms(form));
  const present = presentTerms(form);
  if (wrongTerms) found.terms = wrongTerms;
  else if (!isNew && present && !termsChange(present, termsOf(form.terms))) found.terms = "These are the current terms.";
  if (!isWhole(form.model, 1, U16)) found.model = `Choose a model, or give a number from 1 to ${U16}.`;
  if (!isWhole(form.points, 0, U16)) found.points = `Give a whole number up to ${U16}.`;
  const reference = baseUnits(form.reference, MICRO);
  if (reference === null || reference > BigInt(U32)) found.reference = "Give dollars per GPU-hour, such as 2.76; 0 for no subsidy.";
  if (!isWhole(form.shard, 0, MOST_TERMS.shards - 1)) found.shard = `Give a number up to ${MOST_TERMS.shards - 1}.`;
  if (!isAddress(form.buffer)) found.buffer = "Give the address of a buffer.";
  if (!HASH.test(form.sha256.trim())) found.sha256 = "Give the code's SHA-256: 64 hexadecimal digits.";
  const asked: readonly (keyof Form)[] = FIELDS[form.kind];
  const wrong = Object.fromEntries(Object.entries(found).filter(([field]) => asked.includes(field as keyof Form)));
  return form.title.length > MOST_TITLE ? { ...wrong, title: `A title has at most ${MOST_TITLE} characters.` } : wrong;
}

/** The terms that a payment token has now; undefined while they are unknown, and of one that is new. */
export const presentTerms = (form: Form) =>
  form.kind === "update_payment_mint" ? known.terms?.payment_mints.find(({ mint }) => mint === form.mint) : undefined;

/** What is wrong with the terms that were typed, by field. */
export function problemsOfTerms(form: Form): ReturnType<typeof termsProblems> {
  const mint = form.kind === "add_payment_mint" ? form.new_mint.trim() : form.mint;
  return termsProblems(form.terms, mint === known.settings?.market_mint, presentTerms(form)?.shards ?? 1);
}

const budgetOf = (form: Form) => baseUnits(form.budget, known.marketToken.decimals);
const amountOf = (form: Form) => baseUnits(form.amount, known.decimals(form.mint));

/** The action of what was typed; only of what has no problem. */
export function actionOf(form: Form): Action {
  switch (form.kind) {
    case "set_parameter": {
      const unit = bounded(form.parameter, false)?.unit ?? "";
      type Parameter = Extract<Action, { kind: "set_parameter" }>["parameter"];
      return { kind: "set_parameter", parameter: form.parameter as Parameter, value: String(read(unit, form.value, known.marketToken)) };
    }
    case "approve_host":
      return { kind: "approve_host", host: form.host.trim(), approved: true, subsidy_budget: String(budgetOf(form)) };
    case "revoke_host":
      return { kind: "approve_host", host: form.host.trim(), approved: false, subsidy_budget: "0" };
    case "set_paused":
      return { kind: "set_paused", area: form.area, paused: form.paused };
    case "treasury_transfer":
      return { kind: "treasury_transfer", mint: form.mint, to: form.to.trim(), amount: String(amountOf(form)) };
    case "set_key":
      return { kind: "set_key", key: form.key, new: form.to.trim() };
    case "add_payment_mint":
      return { kind: "add_payment_mint", mint: form.new_mint.trim(), terms: termsOf(form.terms) };
    case "update_payment_mint":
      return { kind: "update_payment_mint", payment_mint: presentTerms(form)?.payment_mint ?? "", terms: termsOf(form.terms) };
    case "add_reward_mint":
      return { kind: "add_reward_mint", mint: form.new_mint.trim() };
    case "set_gpu_model": {
      const terms = { points: Number(form.points), reference_usd: Number(baseUnits(form.reference, MICRO)) };
      return { kind: "set_gpu_model", number: Number(form.model), terms };
    }
    case "withdraw_unreserved":
      return { kind: "withdraw_unreserved", mint: form.mint, shard: Number(form.shard), amount: String(amountOf(form)) };
    case "upgrade_program":
      return { kind: "upgrade_program", buffer: form.buffer.trim(), sha256: form.sha256.trim() };
  }
}
