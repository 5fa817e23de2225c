import type { Schemas } from "../../data/api";
import { costCeil } from "../../data/rates";
import { usd } from "../../format/amount";

/** Faults of a machine, in people's words. */
export const ISSUES: Readonly<Record<Schemas["Issue"]["issue"], string>> = {
  unreachable: "It cannot be reached",
  slow: "It is slower than listed",
  "not-as-listed": "It is not what was listed",
  network: "Its network fails",
  other: "Something else",
};

/** The reported fault of a machine, and its weight against the host. */
export function reported({ issue, weight_usd }: Schemas["JobIssue"]): string {
  const said = ISSUES[issue as Schemas["Issue"]["issue"]] ?? issue;
  return weight_usd ? `${said}; it weighs ${usd(weight_usd)} against the host` : said;
}

const BPS = 10_000n;
const SLACK_BPS = 100n;

/** The most that more seconds may cost: at the job's own rate, and a hundredth; base units, rounded up. */
export function extensionCeil(rate: bigint, seconds: number): bigint {
  const cost = costCeil(rate, seconds);
  return cost + (cost * SLACK_BPS + BPS - 1n) / BPS;
}
