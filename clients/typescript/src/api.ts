import createClient, { type Client } from "openapi-fetch";
import { ApiRefusal, ApiUnreachable } from "./errors.js";
import type { components, paths } from "./generated/api.js";

/** Everything of the API, typed by path: `api.GET("/api/network")`. Refusals are raised as ApiRefusal. */
export type Api = Client<paths>;

/** Types of the API by name: `Schema<"Job">`, `Schema<"Listing">`. Amounts are text of base units: `BigInt(text)`. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

/** Says who asks; called before each request. */
export type Credential = () => Promise<Readonly<Record<string, string>>>;

/** A client of the API at a URL; it needs no signer. */
export function connect(url: string, credential?: Credential, fetch?: typeof globalThis.fetch): Api {
  const api = createClient<paths>({ baseUrl: url.replace(/\/+$/, ""), ...(fetch && { fetch }) });
  api.use({
    async onRequest({ request, schemaPath }) {
      if (credential !== undefined && !schemaPath.startsWith("/api/auth/refresh")) {
        for (const [name, value] of Object.entries(await credential())) request.headers.set(name, value);
      }
      return request;
    },
    async onResponse({ response }) {
      if (!response.ok) throw await refusalOf(response);
    },
    onError: ({ error }) => new ApiUnreachable(`${url} does not answer`, { cause: error }),
  });
  return api;
}

/** Body of an answer: `await read(api.GET("/api/network"))`. */
export async function read<T>(answer: Promise<{ readonly data?: T }>): Promise<T> {
  const { data } = await answer;
  if (data === undefined) throw new ApiUnreachable("The API has answered nothing");
  return data;
}

async function refusalOf(response: Response): Promise<ApiRefusal | ApiUnreachable> {
  const told: unknown = await response.json().catch(() => undefined);
  if (!isProblem(told))
    return new ApiUnreachable(`${response.url} answers ${response.status}, and not as this API does`);
  const after = Number(response.headers.get("Retry-After") ?? Number.NaN);
  return new ApiRefusal(
    told.error,
    told.detail,
    told.remedy,
    response.status,
    Number.isNaN(after) ? undefined : after,
    told.request_id ?? undefined,
  );
}

function isProblem(told: unknown): told is Schema<"Problem"> {
  return typeof told === "object" && told !== null && "error" in told && "detail" in told && "remedy" in told;
}
