import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { ApiUnreachable, Feed, GpuMarket, GpuMarketError, lines, type FeedMessage, type Transport } from "gpu-market";

const event = (cursor: string) => JSON.stringify({ type: "event", cursor, event: "RentalOpened" });
const hello = (cursor: string) => JSON.stringify({ type: "hello", cursor, topics: [], final_slot: null });
const state = (data: object) => JSON.stringify({ type: "state", topic: "job:a", cursor: "i-99", data });

/** A transport whose connections tell these texts, and the URLs that were asked for; what comes last stays open. */
function telling(...connections: readonly (readonly string[])[]): {
  transport: Transport;
  urls: URL[];
  changes: object[];
} {
  const urls: URL[] = [];
  const changes: object[] = [];
  const transport: Transport = async function* (url, signal, changing) {
    changing((change) => changes.push(change) > 0);
    const texts = connections[urls.push(new URL(url)) - 1];
    if (texts === undefined) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield* texts ?? [];
  };
  return { transport, urls, changes };
}

test("feed__connection_lost__resumes_behind_the_last_event", async () => {
  const { transport, urls } = telling([hello("i-1"), event("i-2"), state({})], [event("i-3")]);
  const seen: FeedMessage[] = [];
  for await (const message of new Feed("http://api", ["all"], { transport })) {
    seen.push(message);
    if (seen.length === 4) break;
  }
  assert.deepEqual(
    seen.map(({ type }) => type),
    ["hello", "event", "state", "event"],
  );
  assert.deepEqual(
    urls.map((url) => url.searchParams.get("after")),
    [null, "i-2"],
  );
});

test("feed__not_reachable_at_first__is_tried_again", async () => {
  let tries = 0;
  const transport: Transport = async function* () {
    if (tries++ === 0) throw new ApiUnreachable("away");
    yield hello("i-1");
  };
  for await (const message of new Feed("http://api", ["all"], { transport })) {
    assert.equal(message.type, "hello");
    break;
  }
  assert.equal(tries, 2);
});

test("feed__topic_that_is_none__is_raised", async () => {
  const { transport } = telling([JSON.stringify({ type: "error", error: "not_understood", detail: "x is no topic" })]);
  await assert.rejects(new Feed("http://api", ["x"], { transport })[Symbol.asyncIterator]().next(), GpuMarketError);
});

test("feed__topics_changed__are_told_to_the_open_connection_and_asked_for_anew", async () => {
  const { transport, urls, changes } = telling([hello("i-1")], [hello("i-1")]);
  const feed = new Feed("http://api", ["network"], { transport });
  let seen = 0;
  for await (const _ of feed) {
    if (seen++ === 1) break;
    feed.subscribe("job:a");
    feed.unsubscribe("network");
  }
  assert.deepEqual(changes, [{ subscribe: ["job:a"] }, { unsubscribe: ["network"] }]);
  assert.deepEqual(urls[1]?.searchParams.getAll("topic"), ["job:a"]);
});

test("feed__aborted__ends", async () => {
  const { transport } = telling();
  const ending = new AbortController();
  setTimeout(() => ending.abort(), 10);
  for await (const _ of new Feed("http://api", ["all"], { transport, signal: ending.signal })) assert.fail();
});

test("watch__job_not_yet_known__tells_it_once_it_is_and_ends_with_it", async () => {
  const job = { id: "a", order_hash: "h", ended_at: null, status: "running" };
  const ended = { ...job, ended_at: 5, status: "completed" };
  const { transport } = telling([
    hello("i-1"),
    state({ status: 404, error: "job_not_found" }),
    state(job),
    state(ended),
  ]);
  const seen: string[] = [];
  for await (const { status } of new GpuMarket({ api: "http://api" }).job("a").watch({ transport })) seen.push(status);
  assert.deepEqual(seen, ["running", "completed"]);
});

test("lines__server_sent_events__are_texts_whole", async () => {
  const server = createServer((_, answer) => {
    answer.writeHead(200, { "Content-Type": "text/event-stream" });
    answer.write(':\n\nevent: hello\nid: i-1\ndata: {"a":');
    setTimeout(() => answer.end('"é"}\n\nevent: x\ndata: 2\n\n'), 20);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const texts: string[] = [];
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for await (const text of lines(url, new AbortController().signal, () => undefined)) texts.push(text);
  assert.deepEqual(texts, ['{"a":"é"}', "2"]);
  await new Promise((resolve) => server.close(resolve));
});
