package io.sluice.verify.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.verify.http.Engine;
import io.sluice.verify.http.EngineAnswer;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Rules about rejected requests. */
final class ErrorRules {

  /** A rejected field, the parameter that the error names, and a part of its message. */
  private record Refusal(String field, String param, String message) {}

  private static final List<Refusal> CHAT =
      List.of(
          new Refusal(
              "\"stream_options\":{\"include_usage\":true}",
              "stream_options",
              "Stream options can only be defined when `stream=True`."),
          new Refusal(
              "\"continue_final_message\":true",
              "",
              "continue_final_message and add_generation_prompt are not compatible."),
          new Refusal(
              "\"prompt_logprobs\":1,\"stream\":true",
              "prompt_logprobs",
              "`prompt_logprobs` are not available when `stream=True`."),
          new Refusal(
              "\"top_logprobs\":2",
              "top_logprobs",
              "when using `top_logprobs`, `logprobs` must be set to true."),
          new Refusal("\"tools\":[]", "tools", "`tools` must not be an empty array."),
          new Refusal(
              "\"tool_choice\":\"required\"",
              "tool_choice",
              "When using `tool_choice`, `tools` must be set."),
          new Refusal("\"chat_template\":\"x\"", "", "--trust-request-chat-template is not set"),
          new Refusal(
              "\"allowed_token_ids\":[]",
              "allowed_token_ids",
              "allowed_token_ids is not None and empty!"),
          new Refusal(
              "\"logit_bias\":{\"99999999\":1}",
              "logit_bias",
              "in logit_bias contain out-of-vocab token ids."),
          new Refusal("\"temperature\":-1", "temperature", "(parameter=temperature, value=-1.0)"),
          new Refusal(
              "\"max_tokens\":0",
              "max_tokens",
              "max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)"),
          new Refusal(
              "\"n\":2,\"temperature\":0", "", "n must be 1 when using greedy sampling, got 2."),
          new Refusal("\"top_p\":1.5", "top_p", "top_p must be in (0, 1], got 1.5."),
          new Refusal(
              "\"min_tokens\":9,\"max_tokens\":3",
              "",
              "min_tokens must be less than or equal to max_tokens=3, got 9."));

  private static final List<Refusal> COMPLETION =
      List.of(
          new Refusal(
              "\"prompt\":\"a\",\"suffix\":\"b\"",
              "suffix",
              "suffix is only supported for models with FIM completion rendering"),
          new Refusal("\"prompt\":[]", "", "You must pass at least one prompt"));

  private ErrorRules() {}

  static List<Rule> all() {
    return Stream.of(
            Stream.of(
                new Rule(
                    "2.5 lazy validation: a 400 frame inside a 200 stream, in Python's spacing",
                    ErrorRules::lazy),
                new Rule(
                    "2.5 a token id outside the vocabulary is detected lazily",
                    ErrorRules::vocabulary),
                new Rule("2.5 an invalid regex is detected lazily", ErrorRules::badRegex),
                new Rule(
                    "3.1 the envelope: compact, keys in order, code = status",
                    ErrorRules::envelope)),
            CHAT.stream()
                .map(
                    refusal ->
                        new Rule(
                            "3.2 " + refusal.field() + " -> " + refusal.message(),
                            engine -> check(refusal, engine.chat(refusal.field())))),
            COMPLETION.stream()
                .map(
                    refusal ->
                        new Rule(
                            "3.2 completion " + refusal.field() + " -> " + refusal.message(),
                            engine -> check(refusal, engine.completion(refusal.field())))),
            Stream.of(
                new Rule(
                    "3.2 a prompt over the context: numbers in the text, param input_tokens",
                    ErrorRules::tooLong),
                new Rule("3.2 a prompt as long as the context: param max_tokens", ErrorRules::full),
                new Rule(
                    "3.2 a text that cannot fit is rejected by its number of characters",
                    ErrorRules::farTooLong),
                new Rule(
                    "3.2 bad JSON and missing fields: 400 Bad Request, 1 validation error",
                    ErrorRules::pydantic),
                new Rule(
                    "3.2 a list as the body: 400",
                    engine -> Expect.status(400, engine.client().post(Engine.CHAT, "[1]"))),
                new Rule("3.2 a wrong content type is rejected", ErrorRules::contentType)))
        .flatMap(rules -> rules)
        .toList();
  }

  private static void check(Refusal refusal, EngineAnswer answer) {
    Expect.status(400, answer);
    JsonNode error = answer.json().path("error");
    Expect.contains(error.path("message").asText(), refusal.message());
    Expect.equal(400, error.path("code").asInt());
    Expect.equal(refusal.param(), error.path("param").asText("").replace("null", ""));
  }

  private static void lazy(Engine engine) {
    String field = "\"logprobs\":true,\"top_logprobs\":21,\"max_tokens\":1";
    EngineAnswer stream = engine.chat(field + ",\"stream\":true");
    Expect.status(200, stream);
    Expect.matches(
        "^data: \\{\"error\": \\{\"message\": \"Requested sample logprobs of 21", stream.body());
    Expect.contains(stream.body(), "\"code\": 400}}\n\ndata: [DONE]\n\n");
    Expect.status(400, engine.chat(field));
  }

  private static void vocabulary(Engine engine) {
    String field = "\"prompt\":[1,99999999],\"max_tokens\":1";
    Expect.status(400, engine.completion(field));
    EngineAnswer stream = engine.completion(field + ",\"stream\":true");
    Expect.status(200, stream);
    Expect.contains(stream.body(), "out of vocabulary", "\"code\": 400");
  }

  private static void badRegex(Engine engine) {
    String field = "\"structured_outputs\":{\"regex\":\"[a-\"},\"max_tokens\":1";
    EngineAnswer stream = engine.chat(field + ",\"stream\":true");
    Expect.status(200, stream);
    Expect.contains(stream.body(), "regex", "\"code\": 400}}\n\ndata: [DONE]\n\n");
    Expect.status(400, engine.chat(field));
  }

  private static void envelope(Engine engine) {
    EngineAnswer answer =
        engine
            .client()
            .post(Engine.COMPLETIONS, "{\"model\":\"gpt-x\",\"prompt\":\"a\",\"max_tokens\":1}");
    Expect.status(404, answer);
    Expect.matches(
        "^\\{\"error\":\\{\"message\":\"The model `gpt-x` does not exist\\.[^\"]*\",\"type\":\"NotFoundError\",\"param\":\"model\",\"code\":404}}$",
        answer.body());
  }

  private static void tooLong(Engine engine) {
    EngineAnswer answer =
        engine.completion(
            "\"max_tokens\":10,\"prompt\":\"" + "word ".repeat(engine.maxModelLen() + 50) + "\"");
    Expect.status(400, answer);
    Expect.matches(
        "^This model's maximum context length is %s tokens\\. However, your prompt contains at least \\d+ input tokens"
            .formatted(engine.maxModelLen()),
        answer.json().at("/error/message").asText());
    Expect.equal("input_tokens", answer.json().at("/error/param").asText());
  }

  private static void full(Engine engine) {
    String ids = "65" + ",65".repeat(engine.maxModelLen() - 1);
    EngineAnswer answer = engine.completion("\"prompt\":[" + ids + "],\"max_tokens\":5");
    Expect.status(400, answer);
    Expect.contains(
        answer.json().at("/error/message").asText(), "max_tokens must be at least 1, got 0.");
    Expect.equal("max_tokens", answer.json().at("/error/param").asText());
  }

  private static void farTooLong(Engine engine) {
    EngineAnswer answer =
        engine.completion("\"prompt\":\"" + "a".repeat(200 * engine.maxModelLen()) + "\"");
    Expect.status(400, answer);
    Expect.equal("input_text", answer.json().at("/error/param").asText());
    Expect.contains(
        answer.json().at("/error/message").asText(),
        "characters (more than",
        "which is the upper bound for");
  }

  private static void pydantic(Engine engine) {
    for (String body : List.of("{oops", "{}")) {
      EngineAnswer answer = engine.client().post(Engine.CHAT, body);
      Expect.status(400, answer);
      Expect.equal("Bad Request", answer.json().at("/error/type").asText());
      Expect.matches("^1 validation error", answer.json().at("/error/message").asText());
    }
  }

  private static void contentType(Engine engine) {
    byte[] body = engine.chatBody("").getBytes(java.nio.charset.StandardCharsets.UTF_8);
    Expect.status(
        400, engine.client().send("POST", Engine.CHAT, Map.of("content-type", "text/plain"), body));
  }
}
