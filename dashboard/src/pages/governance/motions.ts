import type { Action } from "gpu-market";
import { known } from "../../data/market.svelte";
import { baseUnits } from "../../format/amount";
import { bounded, inWords, read } from "./parameter";

/** What can be proposed here. */
export const KINDS = {
  set_parameter: "Change a parameter",
  approve_host: "Approve a host",
  revoke_host: "Take a host's approval back",
  set_paused: "Pause or resume part of the market",
  treasury_transfer: "Pay from the treasury",
  set_key: "Replace a key of the market",
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
  title: string;
}

export const EMPTY: Readonly<Form> = {
  ...{ kind: "set_parameter", parameter: "", value: "", host: "", budget: "0", area: "orders", paused: true, mint: "", amount: "" },
  ...{ key: "guardian", to: "", title: "" },
};

const MOST_TITLE = 200;
const U64 = 2n ** 64n - 1n;
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const FIELDS: Readonly<Record<Form["kind"], readonly (keyof Form)[]>> = {
  set_parameter: ["parameter", "value"],
  approve_host: ["host", "budget"],
  revoke_host: ["host"],
  set_paused: [],
  treasury_transfer: ["mint", "amount", "to"],
  set_key: ["to"],
};

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
  } else if (String(value) === known.settings?.parameters[form.parameter]) found.value = "That is what it is now.";
  if (!ADDRESS.test(form.host.trim())) found.host = "Give the address of a host's account, as its page has it.";
  if (within(budgetOf(form), 0n) === null) found.budget = "Give an amount of tokens, or 0.";
  if (!form.mint) found.mint = "Choose a token.";
  if (within(amountOf(form), 1n) === null) found.amount = "Give an amount of tokens.";
  if (!ADDRESS.test(form.to.trim())) found.to = "Give an address.";
  const asked: readonly (keyof Form)[] = FIELDS[form.kind];
  const wrong = Object.fromEntries(Object.entries(found).filter(([field]) => asked.includes(field as keyof Form)));
  return form.title.length > MOST_TITLE ? { ...wrong, title: `A title has at most ${MOST_TITLE} characters.` } : wrong;
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
  }
}
