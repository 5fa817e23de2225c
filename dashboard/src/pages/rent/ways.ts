import type { Schemas } from "../../data/api";
import { known } from "../../data/market.svelte";
import type { Form } from "./quote";

type Cost = Schemas["OrderCost"];
type Chosen = Pick<Form, "kind" | "pay">;

const CENT = 10_000;
const BPS = 10_000;
/** From so much on another way is called cheaper, in basis points of its cost. */
const NOTABLE_BPS = 100;
const BY_SYMBOL = ["GPUM", "SOL"];

/** Micro-USD as whole cents, rounded down; less than a cent in full. */
export const inCents = (micro: number): number => (micro < CENT ? micro : micro - (micro % CENT));

/** True for the kind and token that the form has. */
export const isChosen = (cost: Cost, form: Chosen): boolean => cost.kind === form.kind && cost.mint === known.mint(form.pay);

/** The cheapest of the ways, which come cheapest first, if it is notably cheaper than the chosen one. */
export function cheaperThan(costs: readonly Cost[], form: Chosen): Cost | undefined {
  const [least, chosen] = [costs[0], costs.find((cost) => isChosen(cost, form))];
  if (!least || !chosen || least.micro_usd * (BPS + NOTABLE_BPS) >= chosen.micro_usd * BPS) return undefined;
  return least;
}

/** Makes a way the form's. */
export function take(cost: Cost, form: Chosen): void {
  const symbol = known.token(cost.mint);
  form.kind = cost.kind as Form["kind"];
  form.pay = BY_SYMBOL.includes(symbol) ? symbol : cost.mint;
}
