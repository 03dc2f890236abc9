// Uses the pool as an application does that only knows the openai package.
// Usage: node openai_client.mjs http://127.0.0.1:8080/v1
import assert from "node:assert/strict";
import OpenAI, { toFile } from "openai";
import { VERSION } from "openai/version";

const MODEL = "sluice-8b";
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
  const stream = await client.responses.create({
    model: MODEL,
    input: "Tell me a story",
    max_output_tokens: 80,
    background: true,
    stream: true,
  });
  for await (const event of stream) {
    id ??= event.response.id;
    last = event.sequence_number;
    if (event.type === "response.output_text.delta") {
      text += event.delta;
      break;
    }
  }
  const rest = await client.responses.retrieve(id, { stream: true, starting_after: last });
  for await (const event of rest) {
    assert.equal(event.sequence_number, ++last);
    if (event.type === "response.output_text.delta") {
      text += event.delta;
    }
  }
  const whole = await client.responses.retrieve(id);
  assert.equal(text, whole.output[0].content[0].text);
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
];
for (const check of checks) {
  await check();
}
console.log(`openai ${VERSION} for Node: ${checks.length} checks passed`);
