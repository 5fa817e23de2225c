import { describe, expect, it } from "vitest";
import { EMPTY_WORKLOAD, workloadOf, workloadProblems, type WorkloadForm } from "./workload";

const typed = (changes: Partial<WorkloadForm>): WorkloadForm => ({ ...EMPTY_WORKLOAD, ...changes });
const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB me@here";

describe("what a machine is to run", () => {
  it.each<Partial<WorkloadForm>>([
    {},
    { ports: "8888/http, 22/tcp,3000,1,65535" },
    { env: `${"N".repeat(128)}=${"v".repeat(1_536)}` },
    { env: "ONE=1\n\n_two=a=b\n" },
    { sshKey: ` ${KEY} ` },
    { sshKey: `\ufeff${KEY.replace(" ", "\t ")}` },
  ])("is right at its limits: %o", (changes) => {
    expect(workloadProblems(typed(changes))).toEqual({});
  });

  it.each<[keyof WorkloadForm, string]>([
    ["image", " "],
    ["ports", "1,2,3,4,5,6"],
    ["ports", "0"],
    ["ports", "65536"],
    ["ports", "8888/udp"],
    ["env", `${"N".repeat(129)}=1`],
    ["env", `NAME=${"v".repeat(1_537)}`],
    ["env", "1NAME=1"],
    ["env", "NAME"],
    ["env", `NAME=${"\n".repeat(12_000)}`],
    ["sshKey", "-----BEGIN OPENSSH PRIVATE KEY-----"],
    ["sshKey", "ssh-ed25519"],
    ["sshKey", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB me"],
    ["sshKey", "ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB me"],
    ["sshKey", "hello AAAA"],
  ])("is told what is wrong with its %s: %o", (field, text) => {
    expect(Object.keys(workloadProblems(typed({ [field]: text })))).toEqual([field]);
  });

  it("is what was typed", () => {
    const form = typed({ ports: "8888/http, 22", env: "A=1\nB=x=y", command: " nvidia-smi ", sshKey: `${KEY}\n` });
    expect(workloadOf(form)).toEqual({
      ...{ image: EMPTY_WORKLOAD.image, env: { A: "1", B: "x=y" }, command: "nvidia-smi", sshKey: KEY },
      ports: [
        { port: 8_888, protocol: "http" },
        { port: 22, protocol: "tcp" },
      ],
    });
  });
});
