const MINUTE = 60;
export const HOUR = 3_600;
export const DAY = 86_400;
const UNITS: [number, string][] = [
  [DAY, "d"],
  [HOUR, "h"],
  [MINUTE, "min"],
  [1, "s"],
];

/** Seconds as the two largest units that are not nothing: 1 d 4 h, 35 min, 9 s. */
export function duration(seconds: number): string {
  let left = Math.max(0, Math.floor(seconds));
  const first = UNITS.findIndex(([size]) => left >= size);
  if (first < 0) return "0 s";
  const parts: string[] = [];
  for (const [size, name] of UNITS.slice(first, first + 2)) {
    const n = Math.floor(left / size);
    left -= n * size;
    if (n) parts.push(`${n} ${name}`);
  }
  return parts.join(" ");
}

/** Seconds as a clock: 1:04:09. */
export function clock(seconds: number): string {
  const left = Math.max(0, Math.floor(seconds));
  const pad = (n: number) => String(n).padStart(2, "0");
  const [h, m, s] = [Math.floor(left / HOUR), Math.floor((left % HOUR) / MINUTE), left % MINUTE];
  return h ? `${h}:${pad(m)}:${pad(s)}` : `${m}:${pad(s)}`;
}

const MONTH = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric" });

/** The month of a unix second: Nov 2026. */
export function monthOf(at: number): string {
  return MONTH.format(at * 1000);
}

const MOMENT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const EXACT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });

/** A unix second as date and time here. */
export function moment(at: number): string {
  return MOMENT.format(at * 1000);
}

/** The same with seconds and zone. */
export function exactMoment(at: number): string {
  return EXACT.format(at * 1000);
}
