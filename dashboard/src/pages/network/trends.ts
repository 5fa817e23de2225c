import type { Schemas } from "../../data/api";
import { usd } from "../../format/amount";
import type { Drawing, Line } from "../../ui/chart/draw";

const BPS = 100;
const MICRO = 1_000_000;
const COLOURS = ["--heat", "--good", "--warn", "--bad", "--ink", "--line-strong"];

const whole = (value: number) => String(Math.round(value));
const dollars = (value: number) => usd(Math.round(value * MICRO));

export function gpus(points: Schemas["CapacityFigures"][]): Drawing {
  return {
    at: points.map((point) => point.at),
    axis: whole,
    lines: [
      { name: "on offer", colour: "--good", values: points.map((point) => point.gpus), say: whole, steps: true },
      { name: "rented", colour: "--heat", values: points.map((point) => point.rented_gpus), say: whole, steps: true },
    ],
  };
}

export function utilisation(points: Schemas["CapacityFigures"][]): Drawing {
  const say = (value: number) => `${value.toFixed(1)} %`;
  return {
    at: points.map((point) => point.at),
    axis: (value) => `${value} %`,
    lines: [{ name: "rented", colour: "--heat", values: points.map((point) => point.utilisation_bps / BPS), say }],
  };
}

export function petaflops(points: Schemas["CapacityFigures"][]): Drawing {
  const say = (value: number) => `${value.toFixed(3)} PFLOPS`;
  return {
    at: points.map((point) => point.at),
    axis: (value) => value.toFixed(value < 10 ? 1 : 0),
    lines: [{ name: "8-bit tensors", colour: "--good", values: points.map((point) => Number(point.pflops)), say }],
  };
}

export function rentals(points: Schemas["RentalFigures"][]): Drawing {
  return {
    at: points.map((point) => point.at),
    axis: whole,
    lines: [
      { name: "opened", colour: "--line-strong", values: points.map((point) => point.opened), say: whole, bars: true },
      { name: "ended", colour: "--bad", values: points.map((point) => point.ended), say: whole },
      { name: "running", colour: "--heat", values: points.map((point) => point.running), say: whole, steps: true },
    ],
  };
}

/** The middle price of each model; of a single one its lowest and highest as well. */
export function rates(series: Schemas["RateSeries"][], name: (gpu: string) => string): Drawing {
  const [only, ...others] = series;
  const inDollars = (value: number | null) => (value === null ? null : value / MICRO);
  const line = (name: string, colour: string, values: (number | null)[]): Line => ({
    name,
    colour,
    values: values.map(inDollars),
    say: dollars,
    points: true,
  });
  const lines =
    only && !others.length
      ? [
          line("highest", "--line-strong", only.points.map((point) => point.max_usd)),
          line("middle", "--heat", only.points.map((point) => point.median_usd)),
          line("lowest", "--good", only.points.map((point) => point.min_usd)),
        ]
      : series.map((each, index) =>
          line(name(each.gpu), COLOURS[index % COLOURS.length] ?? "--ink", each.points.map((point) => point.median_usd)),
        );
  return { at: (only?.points ?? []).map((point) => point.at), axis: dollars, lines };
}

/** Whole tokens, for drawing: what is told of a point has as many digits as a number keeps. */
export function money(series: Schemas["MoneySeries"]): Drawing {
  const scale = 10 ** series.decimals;
  const say = (value: number) => value.toLocaleString("en-GB", { maximumFractionDigits: series.decimals });
  const values = (amount: (point: Schemas["MoneyFigures"]) => string) => series.points.map((point) => Number(amount(point)) / scale);
  return {
    at: series.points.map((point) => point.at),
    axis: (value) => value.toLocaleString("en-GB", { maximumSignificantDigits: 3 }),
    lines: [
      { name: "fees", colour: "--line-strong", values: values((point) => point.fees), say, bars: true },
      { name: "burned", colour: "--heat", values: values((point) => point.burned), say },
    ],
  };
}
