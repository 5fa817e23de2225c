import type { Schemas } from "../../data/api";
import { usd } from "../../format/amount";
import type { Drawing, Line } from "../../ui/chart/draw";

type Point = Schemas["AskFigures"];

const MICRO = 1_000_000;
const dollars = (value: number) => usd(Math.round(value * MICRO));

/** Asking prices of a model: the highest, the middle and the lowest, and the lowest spot bid where there is one. */
export function asked(points: readonly Point[]): Drawing {
  const line = (name: string, colour: string, of: (point: Point) => number | null): Line => ({
    name,
    colour,
    values: points.map(of).map((value) => (value === null ? null : value / MICRO)),
    say: dollars,
    steps: true,
  });
  const spot = points.some((point) => point.min_spot_usd !== null);
  return {
    at: points.map((point) => point.at),
    axis: dollars,
    lines: [
      line("highest", "--line-strong", (point) => point.max_usd),
      line("middle", "--heat", (point) => point.median_usd),
      line("lowest", "--good", (point) => point.min_usd),
      ...(spot ? [line("lowest spot bid", "--warn", (point) => point.min_spot_usd)] : []),
    ],
  };
}

/** The same in words, for who cannot see it. */
export function saidOf(points: readonly Point[]): string {
  const lowest = points.flatMap(({ min_usd }) => (min_usd === null ? [] : [min_usd]));
  const newest = points.at(-1);
  if (!lowest.length || !newest) return "No machine was on offer.";
  const now =
    newest.min_usd === null || newest.max_usd === null
      ? "None is on offer now."
      : `${newest.machines} ${newest.machines === 1 ? "machine asks" : "machines ask"} ${range(newest.min_usd, newest.max_usd)} now.`;
  return `The lowest price of a GPU hour was ${range(Math.min(...lowest), Math.max(...lowest))}. ${now}`;
}

function range(low: number, high: number): string {
  return low === high ? usd(low) : `${usd(low)} to ${usd(high)}`;
}
