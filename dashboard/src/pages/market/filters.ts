import type { paths } from "../../data/api";

export type Query = NonNullable<paths["/api/marketplace/listings"]["get"]["parameters"]["query"]>;
export type Sort = NonNullable<Query["sort"]>;

/** Names of the page's query that are numbers of the API's, with what one of theirs is of it. */
const NUMBERS = {
  min_gpu_count: 1,
  min_vram_gb: 1,
  max_price: 1_000_000,
  min_disk_gb: 1,
  min_net_down_mbps: 1,
  min_tflops: 1,
  min_disk_mbps: 1,
  min_network_mbps: 1,
  min_score_bps: 100,
} as const;

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Whatever filters, so that all of it can be cleared. */
export const FILTERS = [...Object.keys(NUMBERS), "gpu", "region", "min_cuda", "min_driver", "available", "verified", "spot"];

/** Direction of each sort. */
export const FIRST: Record<Sort, "asc" | "desc"> = {
  price: "asc",
  spot_price: "asc",
  market_price: "asc",
  model: "asc",
  region: "asc",
  gpu_count: "desc",
  vram: "desc",
  net_up: "desc",
  net_down: "desc",
  disk: "desc",
  cuda: "desc",
  score: "desc",
  newest: "desc",
};

/** A search to save: the filters that are understood and the token paid in, always the same for the same machines. */
export function searchOf(asked: URLSearchParams): string {
  const understood = queryOf(asked);
  const search = new URLSearchParams();
  for (const name of [...FILTERS, "pay"]) {
    const value = asked.get(name) ?? "";
    if (name in understood) search.set(name, name in NUMBERS ? String(Number(value)) : value);
  }
  return search.toString();
}

/** The API's query from the page's; unknown parts are left out. */
export function queryOf(asked: URLSearchParams): Query {
  const query: Query = {};
  for (const [name, factor] of Object.entries(NUMBERS)) {
    const value = Math.round(Number(asked.get(name)) * factor);
    if (Number.isSafeInteger(value) && value > 0) query[name as keyof typeof NUMBERS] = value;
  }
  const [gpu, region] = [asked.get("gpu"), asked.get("region")];
  if (gpu) query.gpu = gpu as NonNullable<Query["gpu"]>;
  const pay = asked.get("pay");
  if (pay && ADDRESS.test(pay)) query.pay = pay;
  if (region) query.region = region as NonNullable<Query["region"]>;
  const cuda = asked.get("min_cuda");
  if (cuda && /^\d{1,3}\.\d{1,2}$/.test(cuda)) query.min_cuda = cuda;
  if (asked.get("available") === "yes") query.available = true;
  const driver = asked.get("min_driver");
  if (driver && /^\d{1,4}(\.\d{1,4}){0,2}$/.test(driver)) query.min_driver = driver;
  if (asked.get("verified") === "yes") query.verified = true;
  if (asked.get("spot") === "yes") query.spot = true;
  const sort = asked.get("sort");
  if (sort && sort in FIRST) query.sort = sort as Sort;
  const order = asked.get("order");
  if (order === "asc" || order === "desc") query.order = order;
  return query;
}
