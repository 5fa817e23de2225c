import { answered, api, type Schemas } from "../../data/api";
import { decimal } from "../../format/amount";

const PAGE = 200;
const COLUMNS = [
  ...["job", "status", "gpu", "gpus", "region", "kind", "opened", "started", "ended", "seconds_paid_for", "seconds_used"],
  ...["token", "deposit", "cost", "refunded", "burned", "fees", "host_paid", "usd_per_hour", "co2_grams", "opened_by", "ended_by"],
] as const;

/** All jobs of a wallet, oldest page last. */
export async function allJobs(renter: string): Promise<Schemas["Job"][]> {
  const found: Schemas["Job"][] = [];
  let cursor: string | null = null;
  do {
    const query: { renter: string; limit: number; cursor: string | null } = { renter, limit: PAGE, cursor };
    const page: Schemas["JobPage"] = await answered(api.GET("/api/jobs", { params: { query } }));
    found.push(...page.jobs);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return found;
}

const MICRO = 6;
const moment = (at: number | null): string => (at === null ? "" : new Date(at * 1_000).toISOString());

/** Jobs as RFC 4180 has tables; amounts are exact tokens, without separators. */
export function csvOf(jobs: readonly Schemas["Job"][], symbol: (mint: string) => string): string {
  const rows = jobs.map((job) => {
    const tokens = (units: string) => decimal(units, job.decimals).replaceAll(",", "").replace("−", "-");
    return [
      ...[job.id, job.status, job.gpu, job.gpu_count, job.region, job.kind],
      ...[moment(job.created_at), moment(job.started_at), moment(job.ended_at), job.duration, job.used ?? job.progress?.used],
      ...[symbol(job.mint), tokens(job.deposit), tokens(job.cost), tokens(job.refunded), tokens(job.burned)],
      ...[tokens(job.fees), tokens(job.host_paid), decimal(BigInt(job.rate_usd), MICRO).replaceAll(",", "")],
      ...[job.carbon_grams, job.open_tx, job.close_tx],
    ];
  });
  return [COLUMNS, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

/** Quoted where necessary; text that a spreadsheet would read as a formula stays text. */
function cell(value: string | number | null | undefined): string {
  const text = String(value ?? "");
  const safe = /^[=+@\t\r]|^-\D/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
