import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../src/api.js";
import { handOverAgain, type HandOver } from "../src/delivery.js";
import { ApiRefusal, ApiUnreachable } from "../src/errors.js";
import { api } from "./parties.js";

const PATIENCE = 50_000;
const URL = "http://market.example";
const UNKNOWN = { error: "job_not_found", detail: "There is none.", remedy: "Wait." };
const refused = (status: number) => new ApiRefusal("refused", "No.", "Wait.", status, 1, undefined);

/** Hands an order over with these outcomes in turn, the last one again and again. */
function handing(outcomes: readonly (boolean | Error)[]) {
  let times = 0;
  const handOver: HandOver = async (rental) => {
    assert.equal(rental, "rental");
    const outcome = outcomes[Math.min(times++, outcomes.length - 1)];
    if (outcome instanceof Error) throw outcome;
    return outcome ?? false;
  };
  return { handOver, times: () => times };
}

/** An API that shows a job in these states in turn, null while it knows none. */
function showing(...states: readonly (string | null)[]) {
  const { asked, fetch } = api((_, times) => {
    const status = states[Math.min(times, states.length - 1)];
    return status === null ? [404, UNKNOWN] : [200, { status }];
  });
  return { asked, api: connect(URL, async () => ({}), fetch) };
}

/** Waits for what is done in the background, which keeps no program running. */
async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + PATIENCE; !holds(); ) {
    assert(Date.now() < end);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

test("hand_over__rental_that_waits__is_repeated_until_the_api_knows_it", async () => {
  const outcomes = [false, new ApiUnreachable("away"), refused(429), refused(503), false, true];
  const { handOver, times } = handing(outcomes);
  await handOverAgain(showing(null, "queued", "provisioning").api, handOver, "rental", 1);
  assert.equal(times(), 1);
  await until(() => times() === outcomes.length);
  await settled();
  assert.equal(times(), outcomes.length);
});

test("hand_over__rental_that_runs__is_repeated_no_more", async () => {
  const { handOver, times } = handing([false]);
  const { api, asked } = showing("provisioning", "running");
  await handOverAgain(api, handOver, "rental", 1);
  await until(() => asked.length === 2);
  await settled();
  assert.deepEqual([times(), asked.length], [2, 2]);
});

for (const [told, outcome] of [
  ["known_to_the_api", true],
  ["never_taken", refused(409)],
] as const) {
  test(`hand_over__order_that_is_${told}__is_done_once`, async () => {
    const { handOver, times } = handing([outcome]);
    await handOverAgain(showing("queued").api, handOver, "rental", 1);
    await settled();
    assert.equal(times(), 1);
  });
}
