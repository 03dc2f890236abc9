import { stream } from "@durable-streams/client";
import { describe, expect, test } from "vitest";

const gateway = process.env.SLUICE_GATEWAY;

describe("The protocol's own client", () => {
  test.each(["long-poll", "sse"])("reads a running answer to its end by %s", async (live) => {
    const chat = await fetch(`${gateway}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        model: "sluice-8b",
        stream: true,
        max_tokens: 200,
        messages: [{ role: "user", content: "Tell me of the sea." }],
      }),
    });
    const url = `${gateway}/v1/requests/${chat.headers.get("x-request-id")}/log`;
    const streamed = chat.text();

    const messages = [];
    for await (const message of (await stream({ url, offset: "-1", live })).jsonStream()) {
      messages.push(message);
    }

    expect(messages).toEqual(await (await stream({ url, live: false })).json());
    expect(textOf(messages)).toEqual(textOf(chunksOf(await streamed)));
  });
});

function chunksOf(events) {
  return events
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)));
}

function textOf(chunks) {
  return chunks.map((chunk) => chunk.choices?.[0]?.delta?.content ?? "").join("");
}
