// Uses the pool as an application does that only knows the openai package.
// Usage: node openai_client.mjs http://127.0.0.1:8080/v1
import assert from "node:assert/strict";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import OpenAI, { toFile } from "openai";
import { VERSION } from "openai/version";

const MODEL = "sluice-8b";
const BATCH_LIMIT_MILLIS = 60_000;
const QUESTION = [{ role: "user", content: "Why is the sky blue?" }];
const WEATHER = {
  type: "function",
  function: {
    name: "get_weather",
    description: "The weather of a city",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    },
  },
};

const client = new OpenAI({ baseURL: process.argv[2], apiKey: "none", maxRetries: 0 });

/** Connections to the gateway that can be cut in the middle of a response. */
async function link(url) {
  const { hostname, port, pathname } = new URL(url);
  const sockets = [];
  const server = net.createServer((near) => {
    const far = net.connect(port, hostname);
    sockets.push(near, far);
    for (const [source, sink] of [[near, far], [far, near]]) {
      source.on("error", () => sink.destroy());
      source.pipe(sink);
    }
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  server.unref();
  return {
    url: `http://127.0.0.1:${server.address().port}${pathname}`,
    cut: () => sockets.splice(0).forEach((socket) => socket.resetAndDestroy()),
  };
}

async function chat() {
  const answer = await client.chat.completions.create({
    model: MODEL,
    messages: QUESTION,
    max_completion_tokens: 12,
  });
  assert.ok(answer.choices[0].message.content);
  assert.equal(answer.usage.completion_tokens, 12);
  assert.ok(answer._request_id, "x-request-id is missing");
}

async function stream() {
  const chunks = [];
  for await (const chunk of await client.chat.completions.create({
    model: MODEL,
    messages: QUESTION,
    max_completion_tokens: 12,
    stream: true,
    stream_options: { include_usage: true },
  })) {
    chunks.push(chunk);
  }
  assert.ok(chunks.map((c) => c.choices[0]?.delta.content ?? "").join(""));
  assert.equal(chunks.at(-1).usage.completion_tokens, 12);
}

async function streamHelper() {
  const runner = client.chat.completions.stream({ model: MODEL, messages: QUESTION });
  assert.ok((await runner.finalChatCompletion()).choices[0].message.content);
}

async function tools() {
  const answer = await client.chat.completions.create({
    model: MODEL,
    messages: QUESTION,
    tools: [WEATHER],
    tool_choice: "required",
  });
  assert.equal(answer.choices[0].message.tool_calls[0].function.name, "get_weather");
}

async function models() {
  const names = [];
  for await (const model of client.models.list()) {
    names.push(model.id);
  }
  assert.ok(names.includes(MODEL));
}

async function errors() {
  await assert.rejects(
    client.chat.completions.create({ model: "none/such", messages: QUESTION }),
    (e) => e instanceof OpenAI.NotFoundError && e.code === "model_not_found",
  );
  await assert.rejects(
    client.chat.completions.create({ model: MODEL, messages: [] }),
    (e) => e instanceof OpenAI.BadRequestError && e.param === "messages",
  );
}

async function response() {
  const made = await client.responses.create({
    model: MODEL,
    input: "Why is the sky blue?",
    max_output_tokens: 12,
  });
  assert.ok(made.output_text);
  assert.equal((await client.responses.retrieve(made.id)).status, "incomplete");
}

async function backgroundResponseThatIsResumed() {
  let text = "";
  let last;
  let id;
  const broken = await link(process.argv[2]);
  const overLink = new OpenAI({ baseURL: broken.url, apiKey: "none", maxRetries: 0 });
  const stream = await overLink.responses.create({
    model: MODEL,
    input: "Tell me a story",
    max_output_tokens: 80,
    background: true,
    stream: true,
  });
  await assert.rejects(async () => {
    for await (const event of stream) {
      last = event.sequence_number;
      if (event.type === "response.created") {
        id = event.response.id;
      }
      if (event.type === "response.output_text.delta") {
        text += event.delta;
        broken.cut();
      }
    }
  });
  const rest = await client.responses.retrieve(id, { stream: true, starting_after: last });
  for await (const event of rest) {
    assert.equal(event.sequence_number, ++last);
    if (event.type === "response.output_text.delta") {
      text += event.delta;
    }
  }
  const whole = await client.responses.retrieve(id);
  assert.equal(text, whole.output[0].content[0].text);
  const replayed = await client.responses.stream({ response_id: id }).finalResponse();
  assert.equal(text, replayed.output[0].content[0].text);
}

async function aborted() {
  const running = await client.chat.completions.create({
    model: MODEL,
    messages: QUESTION,
    max_completion_tokens: 2000,
    stream: true,
  });
  for await (const _ of running) {
    running.controller.abort();
    break;
  }
}

async function files() {
  const content = '{"custom_id": "1"}\n'.repeat(1000);
  const file = await client.files.create({
    file: await toFile(Buffer.from(content), "rows.jsonl"),
    purpose: "batch",
    expires_after: { anchor: "created_at", seconds: 3600 },
  });
  assert.equal(file.bytes, content.length);
  assert.equal(file.expires_at, file.created_at + 3600);
  assert.equal((await client.files.retrieve(file.id)).filename, "rows.jsonl");
  const listed = [];
  for await (const other of client.files.list({ purpose: "batch", limit: 1 })) {
    listed.push(other.id);
  }
  assert.ok(listed.includes(file.id));
  assert.equal(await (await client.files.content(file.id)).text(), content);
  assert.ok((await client.files.delete(file.id)).deleted);
  await assert.rejects(client.files.retrieve(file.id), OpenAI.NotFoundError);
}

function line(number, tokens) {
  return JSON.stringify({
    custom_id: `line-${number}`,
    method: "POST",
    url: "/v1/chat/completions",
    body: { model: MODEL, messages: QUESTION, max_completion_tokens: tokens },
  });
}

async function batchOf(lines) {
  const file = await client.files.create({
    file: await toFile(Buffer.from(lines.join("\n")), "lines.jsonl"),
    purpose: "batch",
  });
  return client.batches.create({
    input_file_id: file.id,
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
    metadata: { "made-by": "check" },
  });
}

async function until(batch, statuses) {
  const end = performance.now() + BATCH_LIMIT_MILLIS;
  while (!statuses.includes(batch.status)) {
    assert.ok(performance.now() < end, JSON.stringify(batch));
    await sleep(200);
    batch = await client.batches.retrieve(batch.id);
  }
  return batch;
}

async function results(fileId) {
  const text = await (await client.files.content(fileId)).text();
  return text.trimEnd().split("\n").map((row) => JSON.parse(row));
}

async function batches() {
  const numbers = [...Array(10).keys()];
  const lines = numbers.map((number) => line(number, 4 + number));
  const made = await batchOf([...lines.slice(0, 5), "{not JSON", ...lines.slice(5)]);
  assert.deepEqual(made.metadata, { "made-by": "check" });
  const batch = await until(made, ["completed", "failed", "expired"]);
  assert.equal(batch.status, "completed");
  assert.equal(batch.model, MODEL);
  assert.deepEqual(batch.request_counts, { total: 11, completed: 10, failed: 1 });
  const answers = await results(batch.output_file_id);
  assert.deepEqual(
    answers.map((answer) => answer.custom_id),
    numbers.map((number) => `line-${number}`),
  );
  for (const [number, answer] of answers.entries()) {
    assert.equal(answer.error, null);
    assert.equal(answer.response.status_code, 200);
    assert.ok(answer.response.body.choices[0].message.content);
    assert.equal(answer.response.body.usage.completion_tokens, 4 + number);
  }
  const errors = await results(batch.error_file_id);
  assert.equal(errors.length, 1);
  assert.equal(errors[0].error.code, "invalid_json");
  assert.equal(errors[0].response, null);
  assert.equal(batch.errors.data[0].line, 6);
  const listed = [];
  for await (const other of client.batches.list({ limit: 1 })) {
    listed.push(other.id);
  }
  assert.ok(listed.includes(batch.id));
}

async function cancelledBatch() {
  const numbers = [...Array(20).keys()];
  const running = await until(await batchOf(numbers.map((n) => line(n, 2000))), ["in_progress"]);
  const told = await client.batches.cancel(running.id);
  assert.ok(["cancelling", "cancelled"].includes(told.status), told.status);
  const batch = await until(running, ["cancelled", "completed", "failed", "expired"]);
  assert.equal(batch.status, "cancelled");
  assert.ok(batch.cancelled_at >= batch.cancelling_at);
  const rows = [];
  for (const file of [batch.output_file_id, batch.error_file_id].filter(Boolean)) {
    rows.push(...(await results(file)));
  }
  assert.deepEqual(
    rows.map((row) => row.custom_id).sort(),
    numbers.map((number) => `line-${number}`).sort(),
  );
  assert.ok(rows.some((row) => row.error?.code === "batch_cancelled"));
}

const checks = [
  chat,
  stream,
  streamHelper,
  tools,
  models,
  errors,
  response,
  backgroundResponseThatIsResumed,
  aborted,
  files,
  batches,
  cancelledBatch,
];
for (const check of checks) {
  await check();
}
console.log(`openai ${VERSION} for Node: ${checks.length} checks passed`);
