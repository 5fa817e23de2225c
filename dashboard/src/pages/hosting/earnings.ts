import type { Schemas } from "../../data/api";
import { usd } from "../../format/amount";
import type { Drawing } from "../../ui/chart/draw";

const MICRO = 1_000_000;

/** Earnings of an hour or a day: the total in micro-USD, and base units by mint. */
export interface Earned {
  readonly at: number;
  readonly usd: number;
  readonly payouts: number;
  readonly amounts: ReadonlyMap<string, bigint>;
}

/** The hours or days, oldest first, over all mints. */
export function earned({ series }: Schemas["EarningsOverTime"]): Earned[] {
  return (series[0]?.points ?? []).map(({ at }, index) => {
    const points = series.flatMap(({ mint, points }) => (points[index] ? [{ mint, ...points[index] }] : []));
    return {
      at,
      usd: points.reduce((sum, point) => sum + point.usd, 0),
      payouts: points.reduce((sum, point) => sum + point.payouts, 0),
      amounts: new Map(points.map((point) => [point.mint, BigInt(point.amount)])),
    };
  });
}

/** In dollars, for drawing. */
export function drawn(all: readonly Earned[]): Drawing {
  const dollars = (value: number) => usd(Math.round(value * MICRO));
  return {
    at: all.map(({ at }) => at),
    axis: dollars,
    lines: [{ name: "earned", colour: "--good", values: all.map((each) => each.usd / MICRO), say: dollars, bars: true }],
  };
}
