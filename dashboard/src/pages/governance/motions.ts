import type { Action } from "gpu-market";
import { known } from "../../data/market.svelte";
import { baseUnits } from "../../format/amount";
import { bounded, read } from "./parameter";
import { EMPTY_TERMS, termsOf, type TermsForm } from "./terms";

/** Kinds of proposals that this page can make. */
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

/** The form's fields, as typed. */
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
  /** The recipient, or the new key. */
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

const MICRO = 6;

/** The terms that a payment token has now; undefined while they are unknown, and of one that is new. */
export const presentTerms = (form: Form) =>
  form.kind === "update_payment_mint" ? known.terms?.payment_mints.find(({ mint }) => mint === form.mint) : undefined;

/** Base units of the budget that was typed; null where it is no amount. */
export const budgetOf = (form: Form) => baseUnits(form.budget, known.marketToken.decimals);

/** Base units of the amount that was typed; null where it is no amount. */
export const amountOf = (form: Form) => baseUnits(form.amount, known.decimals(form.mint));

/** Micro-dollars of the reference price that was typed; null where it is no amount. */
export const referenceOf = (form: Form) => baseUnits(form.reference, MICRO);

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
      const terms = { points: Number(form.points), reference_usd: Number(referenceOf(form)) };
      return { kind: "set_gpu_model", number: Number(form.model), terms };
    }
    case "withdraw_unreserved":
      return { kind: "withdraw_unreserved", mint: form.mint, shard: Number(form.shard), amount: String(amountOf(form)) };
    case "upgrade_program":
      return { kind: "upgrade_program", buffer: form.buffer.trim(), sha256: form.sha256.trim() };
  }
}
