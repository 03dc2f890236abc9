"""Uses the pool as an application does that only knows the openai package.

Usage: openai_client.py http://127.0.0.1:8080/v1
"""

import asyncio
import json
import socket
import sys
import threading
import time
import urllib.parse

import openai

MODEL = "sluice-8b"
BATCH_LIMIT_SECONDS = 60
QUESTION = [{"role": "user", "content": "Why is the sky blue?"}]
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a city",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}

client = openai.OpenAI(base_url=sys.argv[1], api_key="none", max_retries=0)


class Link:
    """Connections to the gateway that can be cut in the middle of a response."""

    def __init__(self, url):
        target = urllib.parse.urlsplit(url)
        self.gateway = (target.hostname, target.port)
        self.sockets = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}{target.path}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            far = socket.create_connection(self.gateway)
            self.sockets += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self.forward, args=(source, sink), daemon=True).start()

    def forward(self, source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass  # cut

    def cut(self):
        for end in self.sockets:
            end.shutdown(socket.SHUT_RDWR)
        self.sockets.clear()


def chat():
    answer = client.chat.completions.create(
        model=MODEL, messages=QUESTION, max_completion_tokens=12
    )
    assert answer.choices[0].message.content, answer
    assert answer.usage.completion_tokens == 12, answer
    assert answer._request_id, "x-request-id is missing"


def stream():
    chunks = list(
        client.chat.completions.create(
            model=MODEL,
            messages=QUESTION,
            max_completion_tokens=12,
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert chunks[-1].choices == [] and chunks[-1].usage.completion_tokens == 12, chunks[-1]


def accumulated_stream():
    with client.chat.completions.stream(model=MODEL, messages=QUESTION) as events:
        for _ in events:
            pass
        assert events.get_final_completion().choices[0].message.content


def tools():
    answer = client.chat.completions.create(
        model=MODEL, messages=QUESTION, tools=[WEATHER], tool_choice="required"
    )
    call = answer.choices[0].message.tool_calls[0]
    assert call.function.name == "get_weather", answer
    result = {"role": "tool", "tool_call_id": call.id, "content": "sunny"}
    again = client.chat.completions.create(
        model=MODEL,
        messages=QUESTION + [answer.choices[0].message, result],
        tools=[WEATHER],
        max_completion_tokens=8,
    )
    assert again.choices[0].finish_reason in ("stop", "length", "tool_calls"), again


def completion():
    answer = client.completions.create(model=MODEL, prompt="Once", max_tokens=5, n=2)
    assert len(answer.choices) == 2 and all(c.text for c in answer.choices), answer


def models():
    assert MODEL in [model.id for model in client.models.list()]
    assert client.models.retrieve(MODEL).id == MODEL


def errors():
    try:
        client.chat.completions.create(model="none/such", messages=QUESTION)
        raise AssertionError("an unknown model was served")
    except openai.NotFoundError as e:
        assert e.code == "model_not_found" and e.param == "model", e.body
    try:
        client.chat.completions.create(model=MODEL, messages=[])
        raise AssertionError("a chat without messages was served")
    except openai.BadRequestError as e:
        assert e.type == "invalid_request_error" and e.param == "messages", e.body


def response():
    made = client.responses.create(model=MODEL, input="Why is the sky blue?", max_output_tokens=12)
    assert made.output_text and made.status == "incomplete", made
    assert client.responses.retrieve(made.id).output_text == made.output_text
    again = client.responses.create(
        model=MODEL, input="Why?", previous_response_id=made.id, max_output_tokens=4
    )
    assert again.previous_response_id == made.id
    assert client.responses.input_items.list(again.id).data[0].content[0].text == "Why?"


def background_response_that_is_resumed():
    text, last, made = "", None, None
    link = Link(sys.argv[1])
    over_link = openai.OpenAI(base_url=link.url, api_key="none", max_retries=0)
    stream = over_link.responses.create(
        model=MODEL, input="Tell me a story", max_output_tokens=80, background=True, stream=True
    )
    try:
        for event in stream:
            last = event.sequence_number
            if event.type == "response.created":
                made = event.response.id
            if event.type == "response.output_text.delta":
                text += event.delta
                link.cut()
        raise AssertionError("the connection was not dropped")
    except openai.APIConnectionError:
        pass
    for event in client.responses.retrieve(made, stream=True, starting_after=last):
        assert event.sequence_number == last + 1, event
        last = event.sequence_number
        if event.type == "response.output_text.delta":
            text += event.delta
    assert text == client.responses.retrieve(made).output_text
    with client.responses.stream(response_id=made) as events:
        deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert "".join(deltas) == text
    client.responses.delete(made)
    try:
        client.responses.retrieve(made)
        raise AssertionError("a deleted response is still there")
    except openai.NotFoundError:
        pass


def cancelled_response():
    made = client.responses.create(
        model=MODEL, input="Tell me a story", max_output_tokens=2000, background=True
    )
    assert made.status == "queued", made
    assert client.responses.cancel(made.id).status == "cancelled"
    assert client.responses.cancel(made.id).status == "cancelled"


def files():
    content = b'{"custom_id": "1"}\n' * 1000
    file = client.files.create(
        file=("rows.jsonl", content),
        purpose="batch",
        expires_after={"anchor": "created_at", "seconds": 3600},
    )
    assert file.bytes == len(content) and file.filename == "rows.jsonl", file
    assert file.expires_at == file.created_at + 3600, file
    assert client.files.retrieve(file.id) == file
    assert file.id in [other.id for other in client.files.list(purpose="batch", limit=1)]
    assert client.files.content(file.id).read() == content
    assert client.files.delete(file.id).deleted
    try:
        client.files.retrieve(file.id)
        raise AssertionError("a deleted file was found")
    except openai.NotFoundError:
        pass


def line(number, tokens):
    body = {"model": MODEL, "messages": QUESTION, "max_completion_tokens": tokens}
    return json.dumps(
        {
            "custom_id": f"line-{number}",
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": body,
        }
    )


def batch_of(lines):
    content = "\n".join(lines).encode()
    file = client.files.create(file=("lines.jsonl", content), purpose="batch")
    return client.batches.create(
        input_file_id=file.id,
        endpoint="/v1/chat/completions",
        completion_window="24h",
        metadata={"made-by": "check"},
    )


def until(batch, statuses):
    end = time.monotonic() + BATCH_LIMIT_SECONDS
    while batch.status not in statuses:
        assert time.monotonic() < end, batch
        time.sleep(0.2)
        batch = client.batches.retrieve(batch.id)
    return batch


def results(file_id):
    return [json.loads(row) for row in client.files.content(file_id).text.splitlines()]


def batches():
    lines = [line(number, 4 + number) for number in range(10)]
    made = batch_of(lines[:5] + ["{not JSON"] + lines[5:])
    assert made.object == "batch" and made.metadata == {"made-by": "check"}, made
    batch = until(made, ["completed", "failed", "expired"])
    counts = batch.request_counts
    assert batch.status == "completed" and batch.model == MODEL, batch
    assert (counts.total, counts.completed, counts.failed) == (11, 10, 1), batch
    answers = results(batch.output_file_id)
    assert [answer["custom_id"] for answer in answers] == [f"line-{n}" for n in range(10)], answers
    for number, answer in enumerate(answers):
        body = answer["response"]["body"]
        assert answer["response"]["status_code"] == 200 and answer["error"] is None, answer
        assert body["choices"][0]["message"]["content"], answer
        assert body["usage"]["completion_tokens"] == 4 + number, answer
    [error] = results(batch.error_file_id)
    assert error["error"]["code"] == "invalid_json" and error["response"] is None, error
    assert batch.errors.data[0].line == 6, batch
    assert batch.id in [other.id for other in client.batches.list(limit=1)]


def cancelled_batch():
    batch = until(batch_of(line(number, 2000) for number in range(20)), ["in_progress"])
    assert client.batches.cancel(batch.id).status in ("cancelling", "cancelled")
    batch = until(batch, ["cancelled", "completed", "failed", "expired"])
    assert batch.status == "cancelled" and batch.cancelled_at >= batch.cancelling_at, batch
    files = [file for file in (batch.output_file_id, batch.error_file_id) if file]
    rows = [row for file in files for row in results(file)]
    assert sorted(row["custom_id"] for row in rows) == sorted(f"line-{n}" for n in range(20)), rows
    assert any(row["error"] and row["error"]["code"] == "batch_cancelled" for row in rows), rows


async def many_at_once():
    many = openai.AsyncOpenAI(base_url=sys.argv[1], api_key="none", max_retries=0)

    async def one(tokens):
        text = ""
        stream = await many.chat.completions.create(
            model=MODEL, messages=QUESTION, max_completion_tokens=tokens, stream=True
        )
        async for chunk in stream:
            text += chunk.choices[0].delta.content or ""
        assert text
        return text

    texts = await asyncio.gather(*(one(8 + i % 5) for i in range(40)))
    assert len(texts) == 40


checks = [
    chat,
    stream,
    accumulated_stream,
    tools,
    completion,
    models,
    errors,
    response,
    background_response_that_is_resumed,
    cancelled_response,
    files,
    batches,
    cancelled_batch,
]
for check in checks:
    check()
asyncio.run(many_at_once())
print(f"openai {openai.__version__} for Python: {len(checks) + 1} checks passed")
