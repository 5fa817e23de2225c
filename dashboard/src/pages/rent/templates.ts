import { DEFAULT_IMAGE } from "gpu-market";
import type { WorkloadForm } from "./workload";

export type Workload = Pick<WorkloadForm, "image" | "command" | "ports" | "env">;

/** Built-in templates. */
export const TEMPLATES: Readonly<Record<string, Workload>> = {
  "CUDA shell": { image: DEFAULT_IMAGE, command: "", ports: "", env: "" },
  "PyTorch and Jupyter": { image: "quay.io/jupyter/pytorch-notebook:cuda12-latest", command: "", ports: "8888/http", env: "" },
  vLLM: {
    image: "vllm/vllm-openai:latest",
    command: "vllm serve Qwen/Qwen2.5-7B-Instruct --host 0.0.0.0 --port 8000",
    ports: "8000/http",
    env: "HF_TOKEN=",
  },
  Ollama: { image: "ollama/ollama:latest", command: "", ports: "11434/http", env: "OLLAMA_HOST=0.0.0.0" },
};

const KEPT = "templates";

/** Those that were saved in this browser. */
export const savedTemplates = (): Record<string, Workload> =>
  JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Record<string, Workload>;

/** Saves one under a name, in place of an older one. */
export function saveTemplate(name: string, { image, command, ports, env }: WorkloadForm): void {
  localStorage.setItem(KEPT, JSON.stringify({ ...savedTemplates(), [name]: { image, command, ports, env } }));
}
