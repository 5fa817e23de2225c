/** Everything that this client raises: `code` is a stable name for programs, `remedy` what to do about it. */
export class GpuMarketError extends Error {
  override readonly name: string = "GpuMarketError";

  constructor(
    readonly code: string,
    message: string,
    readonly remedy: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The API refused a request: `code` is the `error` of its problem+json. */
export class ApiRefusal extends GpuMarketError {
  override readonly name = "ApiRefusal";

  constructor(
    code: string,
    message: string,
    remedy: string,
    readonly status: number,
    readonly retryAfter: number | undefined,
    readonly requestId: string | undefined,
  ) {
    super(code, message, remedy);
  }
}

/** The API cannot be reached, or what answers is not one. */
export class ApiUnreachable extends GpuMarketError {
  override readonly name = "ApiUnreachable";

  constructor(message: string, options?: ErrorOptions) {
    super("api_unreachable", message, "Check the URL and the connection, and try again.", options);
  }
}

/** One thing that a drafted transaction has otherwise than asked for. */
export interface Difference {
  readonly what: string;
  readonly expected: string;
  readonly found: string;
}

/** A drafted transaction is not what was asked for; nothing was signed. */
export class DraftRefused extends GpuMarketError {
  override readonly name = "DraftRefused";

  constructor(readonly differences: readonly Difference[]) {
    const told = differences.map((one) => `${one.what}: asked ${one.expected}, got ${one.found}`).join("; ");
    super(
      "draft_refused",
      `The API's transaction is not what was asked for (${told})`,
      "Nothing was signed. Do not use this API.",
    );
  }
}

/** A transaction was signed and has not succeeded: `code` is the program's error, or what became of it. */
export class TransactionFailed extends GpuMarketError {
  override readonly name = "TransactionFailed";

  constructor(
    readonly status: "failed" | "expired" | "unknown",
    code: string,
    message: string,
    remedy: string,
    readonly signature: string,
  ) {
    super(code, message, remedy);
  }
}

/** The wallet declined to sign, or cannot sign what is needed. */
export class SigningRefused extends GpuMarketError {
  override readonly name = "SigningRefused";

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super("signing_refused", message, remedy, options);
  }
}

/** An order or a connection cannot be sealed, opened or read. */
export class SealFailed extends GpuMarketError {
  override readonly name = "SealFailed";

  constructor(code: "bad_key" | "not_sealed_to_us" | "no_key" | "unreadable", message: string, remedy: string) {
    super(code, message, remedy);
  }
}
