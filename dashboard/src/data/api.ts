import { ApiRefusal, ApiUnreachable, connect, GpuMarketError, read, type components } from "gpu-market";

export { ApiRefusal, ApiUnreachable, GpuMarketError };
export type { paths } from "gpu-market";
export type Schemas = components["schemas"];

/** The API that serves this page. */
export const api = connect(location.origin);

/** The API's answer. ApiRefusal, ApiUnreachable. */
export const answered = read;

const NONE = 404;

/** The same, or null where there is no such thing. ApiRefusal, ApiUnreachable. */
export async function answeredOrNone<T>(answer: Promise<{ readonly data?: T }>): Promise<T | null> {
  try {
    return await read(answer);
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === NONE) return null;
    throw error;
  }
}
