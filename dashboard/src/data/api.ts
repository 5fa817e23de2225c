import { ApiRefusal, ApiUnreachable, connect, GpuMarketError, read, type components } from "gpu-market";

export { ApiRefusal, ApiUnreachable, GpuMarketError };
export type { paths } from "gpu-market";
export type Schemas = components["schemas"];

/** The API that serves this page. */
export const api = connect(location.origin);

/** What the API answered. ApiRefusal, ApiUnreachable. */
export const answered = read;
