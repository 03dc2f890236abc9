import { defineConfig } from "vitest/config";
import applies from "./applies.js";

const names = applies[process.env.STREAMS].map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));

export default defineConfig({
  test: {
    testNamePattern: new RegExp(`(?:^|\\s)(?:${names.join("|")})$`),
    testTimeout: 40_000,
    reporters: ["default", "json"],
    outputFile: { json: `results-${process.env.STREAMS}.json` },
  },
});
