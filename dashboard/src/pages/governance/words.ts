import { GPU_NUMBERS } from "gpu-market";
import { known } from "../../data/market.svelte";
import { count, decimal, usd } from "../../format/amount";
import { shortened } from "../../format/size";
import { bounded, inWords } from "./parameter";
import { termsChange, type Terms } from "./terms";

type Action = Record<string, unknown>;

const text = (value: unknown) => String(value);
const named = (value: unknown) => text(value).replaceAll("_", " ");

/** A parameter's value in its unit; as it is for a parameter that is newer than this page. */
export function valueOf(parameter: string, value: unknown): string {
  const unit = bounded(parameter, false)?.unit;
  return unit === undefined ? text(value) : inWords(unit, text(value), known.marketToken);
}

/** Base units of a mint, in tokens where its decimals are known. */
function amount(units: unknown, mint: unknown): string {
  const token = known.tokens.find((each) => each.mint === mint);
  return token
    ? `${decimal(text(units), token.decimals)} ${known.token(token.mint)}`
    : `${count(text(units))} base units of ${shortened(text(mint))}`;
}

/** A proposal's action, in a sentence. */
export function sentence(action: Action): string {
  const { kind } = action;
  const terms = (action["terms"] ?? {}) as Action;
  switch (kind) {
    case "set_parameter":
      return `Set ${named(action["parameter"])} to ${valueOf(text(action["parameter"]), action["value"])}`;
    case "set_key":
      return `Hand the ${named(action["key"])} to ${shortened(text(action["new"]))}`;
    case "set_paused":
      return `${action["paused"] ? "Pause" : "Resume"} ${named(action["area"])}`;
    case "approve_host":
      return action["approved"]
        ? `Approve host ${shortened(text(action["host"]))}, with a daily subsidy budget of ${amount(action["subsidy_budget"], known.settings?.market_mint)}`
        : `Revoke the approval of host ${shortened(text(action["host"]))}`;
    case "add_payment_mint":
      return `Accept payments in ${known.token(text(action["mint"]))}`;
    case "update_payment_mint":
      return `Change the terms of payments in ${mintNamed(text(action["payment_mint"]))}`;
    case "treasury_transfer":
      return `Pay ${amount(action["amount"], action["mint"])} from the treasury to ${shortened(text(action["to"]))}`;
    case "add_reward_mint":
      return `Pay stakers rewards in ${known.token(text(action["mint"]))}`;
    case "set_gpu_model":
      return `Give ${modelNamed(text(action["number"]))} ${modelTerms(terms)}`;
    case "withdraw_unreserved":
      return `Take at most ${amount(action["amount"], action["mint"])} of unreserved tokens from vault ${text(action["shard"])}`;
    case "upgrade_program":
      return `Upgrade the program to the code with SHA-256 ${text(action["sha256"])}`;
    default:
      return named(kind);
  }
}

/** The token of a payment mint's account; the account's address while the terms are unknown. */
function mintNamed(account: string): string {
  const found = known.terms?.payment_mints.find((each) => each.payment_mint === account);
  return found ? known.token(found.mint) : shortened(account);
}

/** A model by its number, with its name where the catalog has one. */
function modelNamed(number: string): string {
  const slug = Object.entries(GPU_NUMBERS).find(([, each]) => String(each) === number)?.[0];
  return slug ? `GPU model ${known.gpu(slug)}` : `GPU model No. ${number}`;
}

const modelTerms = (terms: Action) =>
  `${text(terms["points"])} points and a reference price of ${usd(text(terms["reference_usd"]))} per GPU-hour`;

const tellsTerms = ({ kind }: Action): boolean => kind === "update_payment_mint" || kind === "set_gpu_model";

/** Reads the market's data that these actions change again, other than its own settings. */
export async function readPresent(actions: readonly Action[], signal: AbortSignal): Promise<void> {
  const hosts = new Set(actions.flatMap(({ kind, host }) => (kind === "approve_host" ? [text(host)] : [])));
  await Promise.all([
    actions.some(tellsTerms) && known.readTerms(signal),
    ...[...hosts].map((host) => known.readHost(host, signal)),
  ]);
}

/** Old and new value of what a proposal changes, where the market tells the old one. */
export function change(action: Action): { was: string; becomes: string } | null {
  const { kind } = action;
  const terms = (action["terms"] ?? {}) as Action;
  switch (kind) {
    case "set_parameter": {
      const parameter = text(action["parameter"]);
      const was = known.settings?.parameters[parameter];
      return was === undefined ? null : { was: valueOf(parameter, was), becomes: valueOf(parameter, action["value"]) };
    }
    case "set_key": {
      const was = known.settings?.[action["key"] as "guardian" | "treasury"];
      return was ? { was: shortened(was), becomes: shortened(text(action["new"])) } : null;
    }
    case "set_paused": {
      if (!known.settings) return null;
      const isPaused = known.settings.paused.some(({ area }) => area === action["area"]);
      return { was: pausedWord(isPaused), becomes: pausedWord(Boolean(action["paused"])) };
    }
    case "approve_host": {
      const was = known.hosts[text(action["host"])];
      return was ? { was: approval(was), becomes: approval(action) } : null;
    }
    case "set_gpu_model": {
      const was = known.terms?.gpu_models.find(({ number }) => String(number) === text(action["number"]));
      return known.terms ? { was: was ? modelTerms({ ...was }) : "without either", becomes: modelTerms(terms) } : null;
    }
    case "update_payment_mint": {
      const was = known.terms?.payment_mints.find((each) => each.payment_mint === action["payment_mint"]);
      return was ? termsChange(was, terms as unknown as Terms) : null;
    }
    default:
      return null;
  }
}

const approval = (of: { approved?: unknown; subsidy_budget?: unknown }) =>
  of.approved ? `approved, with a daily subsidy budget of ${amount(of.subsidy_budget, known.settings?.market_mint)}` : "not approved";

const pausedWord = (isPaused: boolean) => (isPaused ? "paused" : "running");
