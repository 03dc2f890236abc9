// The write side that the conformance suite needs, over a gateway that has none: a stream is the answer to
// a chat, appending to it means to wait until the pool has written more of it, and closing it means to end
// the chat. Reads are passed to the gateway as they are, and its responses are passed back as they are.
import http from "node:http";

const CHAT = {
  model: "sluice-8b",
  stream: true,
  messages: [{ role: "user", content: "Tell me of the sea." }],
};
const LONG = 20_000;
const SHORT = 16;
const WRITE_WITHIN_MS = 20_000;

/**
 * Starts the write side; resolves with its URL and a function that ends all chats.
 *
 * @param gateway the URL of the gateway
 * @param running whether new streams are answers that are still written; otherwise they have ended
 */
export async function start(gateway, running) {
  const chats = new Map();
  const server = http.createServer((request, response) => {
    handle({ gateway, running, chats }, request, response).catch((error) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop() {
      chats.forEach((chat) => chat.abort.abort());
      server.closeAllConnections();
      server.close();
    },
  };
}

async function handle(pool, request, response) {
  const path = request.url.split("?")[0];
  const chat = pool.chats.get(path);
  switch (request.method) {
    case "PUT":
      return written(response, 201, await create(pool, path));
    case "POST":
      return written(response, 204, await append(pool.gateway, chat, isClosing(request)));
    default:
      return read(pool.gateway, chat?.id ?? path.replaceAll("/", "-"), request, response);
  }
}

function isClosing(request) {
  return request.headers["stream-closed"] === "true";
}

function written(response, status, head) {
  response.writeHead(status, { "stream-next-offset": head.get("stream-next-offset") }).end();
}

async function create({ gateway, running, chats }, path) {
  const abort = new AbortController();
  const answer = await fetch(`${gateway}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...CHAT, max_tokens: running ? LONG : SHORT }),
    signal: abort.signal,
  });
  const chat = { id: answer.headers.get("x-request-id"), abort };
  chats.set(path, chat);
  answer.text().catch(() => {}); // aborted
  return until(gateway, chat, (head) => head.get(running ? "stream-next-offset" : "stream-closed"));
}

async function append(gateway, chat, closing) {
  if (closing) {
    chat.abort.abort();
    return until(gateway, chat, (head) => head.get("stream-closed"));
  }
  const before = (await tail(gateway, chat)).get("stream-next-offset");
  return until(gateway, chat, (head) => head.get("stream-next-offset") > before);
}

async function until(gateway, chat, reached) {
  const deadline = Date.now() + WRITE_WITHIN_MS;
  while (Date.now() < deadline) {
    const head = await tail(gateway, chat);
    if (reached(head)) {
      return head;
    }
  }
  throw new Error("the pool wrote nothing in time");
}

async function tail(gateway, chat) {
  const response = await fetch(`${gateway}/v1/requests/${chat.id}/log`, { method: "HEAD" });
  return response.headers;
}

function read(gateway, id, request, response) {
  const query = request.url.includes("?") ? request.url.slice(request.url.indexOf("?")) : "";
  const { host, ...headers } = request.headers;
  const passed = http.request(
    `${gateway}/v1/requests/${id}/log${query}`,
    { method: request.method, headers },
    (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    },
  );
  passed.on("error", () => response.destroy());
  response.on("close", () => passed.destroy());
  request.pipe(passed);
}
