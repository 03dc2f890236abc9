import { runConformanceTests } from "@durable-streams/server-conformance-tests";
import { afterAll } from "vitest";
import { start } from "./pool.js";

const pool = await start(process.env.SLUICE_GATEWAY, process.env.STREAMS === "running");
afterAll(() => pool.stop());
runConformanceTests({ baseUrl: pool.url });
