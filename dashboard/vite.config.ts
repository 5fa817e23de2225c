import { resolve } from "node:path";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { manifest } from "./build/manifest.ts";

const API = process.env["GPU_MARKET_API"] ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [svelte(), manifest()],
  resolve: { alias: { "gpu-market": resolve(import.meta.dirname, "../clients/typescript/src/index.ts") } },
  build: {
    outDir: process.env["DASHBOARD_OUT"] ?? "../indexer/dashboard/built",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ["index.html", "terminal.html"],
      output: { codeSplitting: { groups: [{ name: "ui", test: /src\/(ui|format)\/(?!chart|acts|shell)/, minShareCount: 4 }] } },
    },
  },
  server: { proxy: { "^/(api|health|docs|openapi.json)": { target: API, ws: true } } },
  test: { include: ["src/**/*.test.ts"] },
});
