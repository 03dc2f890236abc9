"""Uses the pool as an application does that only knows the openai package.

Usage: openai_client.py http://127.0.0.1:8080/v1
"""

import asyncio
import sys

import openai

MODEL = "sluice-8b"
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


checks = [chat, stream, accumulated_stream, tools, completion, models, errors]
for check in checks:
    check()
asyncio.run(many_at_once())
print(f"openai {openai.__version__} for Python: {len(checks) + 1} checks passed")
