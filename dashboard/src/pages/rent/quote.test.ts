import { expect, test } from "vitest";
import type { Schemas } from "../../data/api";
import { mostCeil, problems, rentOf, secondsOf, type Form } from "./quote";

const MACHINE = { id: "machine", spec_version: 3, max_duration: 36_000 } as Schemas["Listing"];
const FORM: Form = {
  ...{ hours: "1.5", pay: "GPUM", kind: "on-demand", image: "ubuntu", command: "" },
  ...{ ports: "8888/http, 22", env: "A=1\nB=x=y", sshKey: "" },
};

test("rentOf: the order is what was typed", () => {
  expect(rentOf(FORM, MACHINE, 7n)).toEqual({
    ...{ image: "ubuntu", env: { A: "1", B: "x=y" }, listing: "machine", specVersion: 3, duration: 5_400 },
    ...{ ports: [{ port: 8888, protocol: "http" }, { port: 22, protocol: "tcp" }] },
    ...{ pay: "GPUM", kind: "on-demand", maxCost: 7n },
  });
  expect(problems(FORM, MACHINE)).toEqual({});
});

test.each([
  ["hours", ""],
  ["hours", "an hour"],
  ["hours", "-1"],
  ["hours", "11"],
  ["image", " "],
  ["ports", "1,2,3,4,5,6"],
  ["ports", "0"],
  ["ports", "70000/tcp"],
  ["ports", "22/udp"],
  ["env", "no value"],
  ["env", `${"N".repeat(129)}=1`],
  ["env", `N=${"v".repeat(1_537)}`],
  ["env", "A=1\n".repeat(3_001)],
  ["sshKey", "-----BEGIN OPENSSH PRIVATE KEY-----"],
])("problems: %s cannot be %j", (field, value) => {
  expect(Object.keys(problems({ ...FORM, [field]: value }, MACHINE))).toEqual([field]);
});

test("problems: limits themselves are within them", () => {
  const env = `${"N".repeat(128)}=${"v".repeat(1_536)}`;
  expect(problems({ ...FORM, env, hours: "10", ports: "1,2,3,4,65535" }, MACHINE)).toEqual({});
});

test("mostCeil: a hundredth above the quote, rounded up", () => {
  expect([mostCeil(100n), mostCeil(1n), mostCeil(0n)]).toEqual([101n, 2n, 0n]);
  expect(secondsOf({ ...FORM, hours: "0.5" })).toBe(1_800);
});
