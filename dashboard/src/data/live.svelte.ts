import { Feed, sockets, type FeedMessage, type Transport } from "gpu-market";

/** Subscriber to topics of the feed. */
export interface Follower {
  /** A topic's state: what GET answers for it. */
  state?(topic: string, data: unknown): void;
  event?(told: FeedMessage & { type: "event" | "withdrawn" }): void;
  /** Events may be missing: all kept data should be read again. */
  reset?(): void;
}

class Connection {
  state = $state<"connecting" | "live" | "lost">("connecting");
}

export const connection = new Connection();

/** Always followed, so that the feed says whether it lives. */
const ALWAYS = "network";

const AGAIN_MS = 1_000;

const followers = new Map<string, Set<Follower>>([[ALWAYS, new Set()]]);
let feed: Feed | undefined;

const watched: Transport = async function* (url, signal, changing) {
  try {
    yield* sockets(url, signal, changing);
  } finally {
    connection.state = "lost";
  }
};

/** Follows topics until what it returns is called; all followers share one connection. */
export function onFeed(topics: readonly string[], follower: Follower): () => void {
  const added = topics.filter((topic) => !followers.has(topic));
  for (const topic of topics) {
    const those = followers.get(topic) ?? new Set();
    followers.set(topic, those.add(follower));
  }
  if (feed === undefined) void follow();
  else if (added.length) feed.subscribe(...added);
  return () => {
    for (const topic of topics) followers.get(topic)?.delete(follower);
    queueMicrotask(drop);
  };
}

/** Follows no longer what nobody wants; a page that comes as another goes has taken its topics over by now. */
function drop(): void {
  const unwanted = [...followers].filter(([topic, those]) => !those.size && topic !== ALWAYS).map(([topic]) => topic);
  for (const topic of unwanted) followers.delete(topic);
  if (unwanted.length) feed?.unsubscribe(...unwanted);
}

async function follow(): Promise<void> {
  for (let after: string | undefined; ; after = feed.cursor) {
    feed = new Feed(location.origin, followers.keys(), { transport: watched, ...(after && { after }) });
    try {
      for await (const message of feed) tell(message);
    } catch (error) {
      dropRefused(error);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/** Follows no longer the topic that the API refuses, which would end the feed for all others. */
function dropRefused(error: unknown): void {
  const said = error instanceof Error ? error.message : "";
  for (const topic of [...followers.keys()]) if (topic !== ALWAYS && said.startsWith(`${topic} is`)) followers.delete(topic);
}

function tell(message: FeedMessage): void {
  switch (message.type) {
    case "hello":
      connection.state = "live";
      return;
    case "state":
      if (isRefusal(message.data)) return;
      for (const each of followers.get(message.topic) ?? []) each.state?.(message.topic, message.data);
      return;
    case "event":
    case "withdrawn":
      for (const each of of(message.topics)) each.event?.(message);
      return;
    case "reset":
      for (const each of of([...followers.keys()])) each.reset?.();
  }
}

/** A topic of something that does not exist, or that cannot be read now: whoever reads it by GET is told so. */
function isRefusal(data: unknown): boolean {
  return typeof data === "object" && data !== null && "error" in data && "remedy" in data;
}

function of(topics: readonly string[]): Set<Follower> {
  return new Set(topics.flatMap((topic) => [...(followers.get(topic) ?? [])]));
}
