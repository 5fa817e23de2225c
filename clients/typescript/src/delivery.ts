import { read, type Api, type Schema } from "./api.js";
import { ApiRefusal } from "./errors.js";

const REPEAT_MS = 10_000;
const WAITING: readonly Schema<"JobState">[] = ["queued", "provisioning"];

/** Hands an order over, with its rental once that is open. True if the API knows the rental: then it keeps the order. */
export type HandOver = (rental: string | null) => Promise<boolean>;

/**
 * Hands the order of an open rental over again, as the API may have had to let it go before the rental was known.
 * Settles after the first time, and repeats it in the background while the rental waits for its host.
 */
export async function handOverAgain(api: Api, handOver: HandOver, rental: string, pause = REPEAT_MS): Promise<void> {
  if (!(await isDone(handOver, rental))) void repeat(api, handOver, rental, pause);
}

async function repeat(api: Api, handOver: HandOver, rental: string, pause: number): Promise<void> {
  do await slept(pause);
  while ((await waits(api, rental)) && !(await isDone(handOver, rental)));
}

/** True if it has arrived for certain, or will never be taken: an hour after its signature, or after a newer version. */
async function isDone(handOver: HandOver, rental: string): Promise<boolean> {
  try {
    return await handOver(rental);
  } catch (error) {
    return error instanceof ApiRefusal && error.status === 409;
  }
}

/** False once the API shows that the job runs or has ended; it may not know the job yet. */
async function waits(api: Api, rental: string): Promise<boolean> {
  try {
    const job = await read(api.GET("/api/jobs/{id}", { params: { path: { id: rental } } }));
    return WAITING.includes(job.status);
  } catch {
    return true;
  }
}

/** Waits, and keeps no program of Node's running. */
function slept(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer: unknown = setTimeout(resolve, ms);
    (timer as { unref?(): void }).unref?.();
  });
}
