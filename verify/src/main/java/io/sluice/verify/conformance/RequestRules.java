package io.sluice.verify.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.verify.http.Engine;
import io.sluice.verify.http.EngineAnswer;
import java.util.List;
import java.util.stream.StreamSupport;

/** Rules about the fields of requests. */
final class RequestRules {

  private static final String CONTENT = "/choices/0/message/content";
  private static final String OUTPUT_TOKENS = "/usage/completion_tokens";

  private RequestRules() {}

  static List<Rule> all() {
    return List.of(
        new Rule(
            "1.3 X-Request-Id names the answer and is not echoed by default",
            RequestRules::requestId),
        new Rule(
            "1.3 request_id in the body names the answer too",
            engine ->
                Expect.equal(
                    "cmpl-r7",
                    engine
                        .completion("\"prompt\":\"a\",\"max_tokens\":1,\"request_id\":\"r7\"")
                        .json()
                        .path("id")
                        .asText())),
        new Rule("1.4 model is optional", RequestRules::noModel),
        new Rule(
            "1.4 completions default to 16 tokens",
            engine ->
                Expect.equal(
                    16,
                    engine
                        .completion("\"prompt\":\"Once upon a time\",\"ignore_eos\":true")
                        .json()
                        .at(OUTPUT_TOKENS)
                        .asInt())),
        new Rule(
            "1.4 max_completion_tokens takes precedence over max_tokens", RequestRules::limits),
        new Rule(
            "1.4 ignore_eos and max_tokens force exactly that number of tokens",
            engine ->
                Expect.equal(
                    400,
                    engine
                        .chat("\"max_tokens\":400,\"ignore_eos\":true")
                        .json()
                        .at(OUTPUT_TOKENS)
                        .asInt())),
        new Rule("1.4 max_tokens above the rest of the context is clamped", RequestRules::clamped),
        new Rule("1.4 min_tokens delays every stop condition", RequestRules::minTokens),
        new Rule(
            "1.4 a stop string ends the text before it, or after it if included",
            RequestRules::stopString),
        new Rule("1.4 a stop token is the stop_reason", RequestRules::stopToken),
        new Rule("1.4 n choices with indices, and one usage", RequestRules::choices),
        new Rule(
            "1.4 chat echo repeats the last message only for its own role", RequestRules::chatEcho),
        new Rule(
            "1.4 completion echo starts with the prompt; with max_tokens 0 it is the whole answer",
            RequestRules::completionEcho),
        new Rule(
            "1.4 prompts can be texts, token ids, and lists of both", RequestRules::promptForms),
        new Rule(
            "1.8 an adapter is requested as a model and named in the answer", RequestRules::lora));
  }

  private static void requestId(Engine engine) {
    EngineAnswer answer =
        engine
            .client()
            .post(Engine.CHAT, engine.chatBody("\"max_tokens\":1"), "X-Request-Id", "abc-1");
    Expect.equal("chatcmpl-abc-1", answer.json().path("id").asText());
    Expect.equal("", answer.header("x-request-id"));
  }

  private static void noModel(Engine engine) {
    EngineAnswer answer =
        engine.client().post(Engine.COMPLETIONS, "{\"prompt\":\"a\",\"max_tokens\":1}");
    Expect.equal(engine.model(), answer.json().path("model").asText());
  }

  private static void limits(Engine engine) {
    JsonNode answer =
        engine.chat("\"max_tokens\":9,\"max_completion_tokens\":3,\"ignore_eos\":true").json();
    Expect.equal(3, answer.at(OUTPUT_TOKENS).asInt());
    Expect.equal("length", answer.at("/choices/0/finish_reason").asText());
  }

  private static void clamped(Engine engine) {
    int left = 7;
    StringBuilder ids = new StringBuilder("65");
    ids.repeat(",65", engine.maxModelLen() - left - 1);
    EngineAnswer answer =
        engine.completion(
            "\"prompt\":[%s],\"max_tokens\":%s,\"ignore_eos\":true".formatted(ids, left + 50));
    Expect.status(200, answer);
    Expect.equal(left, answer.json().at(OUTPUT_TOKENS).asInt());
    Expect.equal("length", answer.json().at("/choices/0/finish_reason").asText());
  }

  private static void minTokens(Engine engine) {
    int tokens =
        engine
            .chat("\"max_tokens\":40,\"min_tokens\":30,\"stop\":[\"e\",\" \",\"a\"]")
            .json()
            .at(OUTPUT_TOKENS)
            .asInt();
    Expect.that(tokens >= 30, "too few tokens", tokens);
  }

  private static void stopString(Engine engine) {
    String field = "\"max_tokens\":200,\"temperature\":0,\"stop\":[\"e\"]";
    JsonNode before = engine.chat(field).json();
    JsonNode behind = engine.chat(field + ",\"include_stop_str_in_output\":true").json();
    Expect.that(
        !before.at(CONTENT).asText().contains("e"), "the stop string is in", before.at(CONTENT));
    Expect.equal("e", before.at("/choices/0/stop_reason").asText());
    Expect.equal("stop", before.at("/choices/0/finish_reason").asText());
    Expect.matches("e$", behind.at(CONTENT).asText());
  }

  private static void stopToken(Engine engine) {
    String fields = "\"max_tokens\":6,\"temperature\":0,\"ignore_eos\":true";
    int third =
        engine
            .chat(fields + ",\"return_token_ids\":true")
            .json()
            .at("/choices/0/token_ids/2")
            .asInt();
    JsonNode answer = engine.chat(fields + ",\"stop_token_ids\":[" + third + "]").json();
    Expect.equal(third, answer.at("/choices/0/stop_reason").asInt());
    Expect.that(answer.at(OUTPUT_TOKENS).asInt() <= 3, "more than three tokens", answer);
  }

  private static void choices(Engine engine) {
    JsonNode answer = engine.chat("\"n\":3,\"max_tokens\":5,\"ignore_eos\":true").json();
    List<Integer> indices =
        StreamSupport.stream(answer.path("choices").spliterator(), false)
            .map(choice -> choice.path("index").asInt())
            .toList();
    Expect.equal(List.of(0, 1, 2), indices);
    Expect.equal(15, answer.at(OUTPUT_TOKENS).asInt());
  }

  private static void chatEcho(Engine engine) {
    String own =
        "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"},{\"role\":\"assistant\",\"content\":\"Well then\"}],\"max_tokens\":2,\"echo\":true,\"add_generation_prompt\":false,\"continue_final_message\":true}";
    Expect.matches(
        "^Well then", engine.client().post(Engine.CHAT, own).json().at(CONTENT).asText());
    String other = engine.chat("\"echo\":true,\"max_tokens\":2").json().at(CONTENT).asText();
    Expect.that(!other.contains("Say hello."), "the user's message is in", other);
  }

  private static void completionEcho(Engine engine) {
    String fields = "\"prompt\":\"One two\",\"echo\":true,\"temperature\":0,\"max_tokens\":";
    Expect.matches(
        "^One two.", engine.completion(fields + 4).json().at("/choices/0/text").asText());
    Expect.equal("One two", engine.completion(fields + 0).json().at("/choices/0/text").asText());
  }

  private static void promptForms(Engine engine) {
    for (String prompt : List.of("\"a\"", "[\"a\",\"b\"]", "[1,2,3]", "[[1,2],[3]]")) {
      EngineAnswer answer = engine.completion("\"prompt\":" + prompt + ",\"max_tokens\":1");
      Expect.that(!answer.json().path("choices").isEmpty(), "no choices", answer.body());
    }
    Expect.status(400, engine.completion("\"prompt\":[\"a\",1],\"max_tokens\":1"));
  }

  private static void lora(Engine engine) {
    Expect.needs(!engine.loras().isEmpty(), "the engine has no adapter");
    String name = engine.loras().getFirst();
    String body = "{\"model\":\"%s\",\"prompt\":\"a\",\"max_tokens\":1}".formatted(name);
    Expect.equal(
        name, engine.client().post(Engine.COMPLETIONS, body).json().path("model").asText());
  }
}
