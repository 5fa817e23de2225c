import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { moment } from "../../format/time";

export interface Line {
  name: string;
  /** A colour of the design's, by its custom property's name. */
  colour: string;
  values: (number | null)[];
  /** Formats a value. */
  say: (value: number) => string;
  /** True if a value holds until the next one. */
  steps?: boolean;
  bars?: boolean;
  points?: boolean;
  /** True if values are drawn as points, without a line. */
  apart?: boolean;
}

export interface Drawing {
  /** Unix seconds, rising. */
  at: number[];
  lines: Line[];
  /** Formats values of the axis. */
  axis: (value: number) => string;
}

/** Draws into an element and follows its width; returns what removes it again. */
export function draw(target: HTMLElement, drawing: Drawing, height: number): () => void {
  const style = getComputedStyle(target);
  const probe = document.createElement("i");
  target.append(probe);
  const colour = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const font = `12px ${style.fontFamily}`;
  const axis: uPlot.Axis = {
    font,
    stroke: colour("--ink-soft"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
  };
  const plot = new uPlot(
    {
      width: Math.max(240, target.clientWidth),
      height,
      legend: { live: true, markers: { show: true, width: 0, fill: (_, index) => colour(drawing.lines[index - 1]?.colour ?? "--line") } },
      cursor: { points: { size: 6 }, drag: { x: false, y: false } },
      scales: { y: { range: (_, low, high) => [Math.min(0, low), high > 0 ? high * 1.08 : 1] } },
      axes: [{ ...axis, space: 110, values: (_, values) => values.map((at) => told(at, values)) }, { ...axis, size: 64, values: (_, values) => values.map(drawing.axis) }],
      series: [
        { label: "at", value: (_, at) => (at === null ? "–" : moment(at)) },
        ...drawing.lines.map((line): uPlot.Series => ({
          label: line.name,
          stroke: colour(line.colour),
          width: 1.75,
          spanGaps: !line.steps,
          points: { show: line.points ?? line.apart ?? isLone(line.values), size: 5, fill: colour(line.colour) },
          value: (_, value) => (value === null ? "–" : line.say(value)),
          ...shape(line, colour),
        })),
      ] as uPlot.Series[],
    },
    [drawing.at, ...drawing.lines.map((line) => line.values)],
    target,
  );
  probe.remove();
  const following = new ResizeObserver(() => plot.setSize({ width: Math.max(240, target.clientWidth), height }));
  following.observe(target);
  return () => {
    following.disconnect();
    plot.destroy();
  };
}

const DAY = 86_400;
const HOURS = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });
const DAYS = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** A moment of the axis: its hour where all of the axis is within days, its day otherwise. */
function told(at: number, all: number[]): string {
  const span = (all.at(-1) ?? at) - (all[0] ?? at);
  return (span < 2 * DAY ? HOURS : DAYS).format(at * 1_000);
}

/** True for a single value, to which no line leads. */
function isLone(values: Line["values"]): boolean {
  return values.filter((value) => value !== null).length === 1;
}

function shape(line: Line, colour: (name: string) => string): uPlot.Series {
  const { bars, stepped } = uPlot.paths;
  if (line.bars && bars) return { fill: colour(line.colour), paths: bars({ size: [0.7, 24] }) };
  if (line.apart) return { paths: () => null };
  return line.steps && stepped ? { paths: stepped({ align: 1 }) } : {};
}
