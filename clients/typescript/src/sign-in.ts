import { connect, read, type Api, type Credential, type Schema } from "./api.js";
import { toBase58, toBase64, utf8 } from "./bytes.js";
import { SigningRefused } from "./errors.js";
import type { paths } from "./generated/api.js";
import type { Signer } from "./signers.js";

type Tokens = paths["/api/auth/sign-in"]["post"]["responses"][200]["content"]["application/json"];

const EARLY_MS = 30_000;
const LABELS = [
  ["uri", "URI"],
  ["version", "Version"],
  ["chainId", "Chain ID"],
  ["nonce", "Nonce"],
  ["issuedAt", "Issued At"],
  ["expirationTime", "Expiration Time"],
] as const;

/** A sign-in: its tokens are renewed as they end. `credential` is what requests carry. */
export interface SignIn {
  readonly wallet: string;
  readonly credential: Credential;
  /** Ends it and all of its tokens. */
  end(): Promise<void>;
}

/** Signs in with Solana. Raises SigningRefused if the message is another site's than the API's, or a parent of it. */
export async function signIn(url: string, signer: Signer, fetch?: typeof globalThis.fetch): Promise<SignIn> {
  const api = connect(url, undefined, fetch);
  const input = await read(api.POST("/api/auth/challenge", { body: { address: signer.address } }));
  requireDomain(input.domain, new URL(url).host);
  const { address, ...rest } = input;
  const asked = { ...rest, ...(address != null && { address }) };
  const signed = signer.signIn === undefined ? await signText(signer, input) : await signer.signIn(asked);
  const tokens = await read(
    api.POST("/api/auth/sign-in", {
      body: {
        address: signer.address,
        signed_message: toBase64(signed.signedMessage),
        signature: toBase58(signed.signature),
      },
    }),
  );
  return kept(api, tokens);
}

function kept(api: Api, first: Tokens): SignIn {
  let tokens = Promise.resolve(first);
  let endsAt = Date.now() + first.expires_in * 1_000;
  const credential = async (): Promise<Readonly<Record<string, string>>> => {
    if (Date.now() > endsAt - EARLY_MS) {
      endsAt = Number.POSITIVE_INFINITY;
      tokens = tokens
        .then(({ refresh_token }) => read(api.POST("/api/auth/refresh", { body: { refresh_token } })))
        .then((renewed) => ((endsAt = Date.now() + renewed.expires_in * 1_000), renewed));
    }
    return { Authorization: `Bearer ${(await tokens).access_token}` };
  };
  return {
    wallet: first.wallet,
    credential,
    end: async () => void (await api.POST("/api/auth/sign-out", { headers: await credential() })),
  };
}

function requireDomain(domain: string, host: string): void {
  const [name, site] = [domain, host].map((text) => text.replace(/:\d+$/, "")) as [string, string];
  if (site !== name && !site.endsWith(`.${name}`)) {
    throw new SigningRefused(
      `The API at ${host} asks to sign in to ${domain}`,
      "Nothing was signed. Do not use this API.",
    );
  }
}

async function signText(signer: Signer, input: Schema<"SignInInput">) {
  const fields = LABELS.map(([name, label]) => `${label}: ${input[name]}`).join("\n");
  const text = `${input.domain} wants you to sign in with your Solana account:\n${signer.address}\n\n${input.statement}\n\n${fields}`;
  const signedMessage = utf8(text);
  return { signedMessage, signature: await signer.signMessage(signedMessage) };
}
