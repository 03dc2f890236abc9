package io.sluice.verify.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.verify.http.Engine;
import io.sluice.verify.http.EngineAnswer;
import java.util.List;

/** Rules about tools, schemas and restricted tokens. */
final class ConstraintRules {

  private static final String TOOL =
      "\"max_tokens\":200,\"temperature\":0,\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"get_kind\",\"parameters\":{\"type\":\"object\",\"properties\":{\"kind\":{\"enum\":[\"cat\",\"dog\"]}},\"required\":[\"kind\"],\"additionalProperties\":false}}}]";
  private static final String REQUIRED = TOOL + ",\"tool_choice\":\"required\"";
  private static final String NAMED =
      TOOL + ",\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"get_kind\"}}";
  private static final String CALL = "/choices/0/message/tool_calls/0/function";
  private static final String CONTENT = "/choices/0/message/content";

  private ConstraintRules() {}

  static List<Rule> all() {
    return List.of(
        new Rule(
            "2.4 tool_choice required: a call with valid arguments", ConstraintRules::required),
        new Rule(
            "2.2 a streamed call: name first, then fragments of the arguments",
            ConstraintRules::streamed),
        new Rule("2.4 a named tool is called", ConstraintRules::named),
        new Rule("2.4 json_schema: the content is valid for the schema", ConstraintRules::schema),
        new Rule("2.4 json_object: the content is one JSON object", ConstraintRules::object),
        new Rule("2.4 structured_outputs regex: the content matches", ConstraintRules::regex),
        new Rule("1.4 allowed_token_ids: no other token is generated", ConstraintRules::allowed),
        new Rule("1.4 bad_words are not generated", ConstraintRules::badWords));
  }

  private static void required(Engine engine) {
    JsonNode answer = ended(engine.chat(REQUIRED).json());
    Expect.equal("get_kind", answer.at(CALL + "/name").asText());
    JsonNode arguments = EngineAnswer.json(answer.at(CALL + "/arguments").asText());
    Expect.that(arguments.has("kind"), "arguments", arguments);
    Expect.equal("tool_calls", answer.at("/choices/0/finish_reason").asText());
  }

  private static void streamed(Engine engine) {
    EngineAnswer stream = engine.chat(REQUIRED + ",\"stream\":true");
    Expect.needs(!withoutParser(stream.body()), "the engine has no tool parser");
    Expect.needs(!stream.body().contains("\"length\""), "the answer did not end");
    String first =
        stream.frames().stream().filter(f -> f.contains("tool_calls")).findFirst().orElse("");
    Expect.contains(first, "\"name\":\"get_kind\"", "\"type\":\"function\"");
    JsonNode arguments =
        EngineAnswer.json(stream.joined("/choices/0/delta/tool_calls/0/function/arguments"));
    Expect.that(arguments.has("kind"), "arguments", arguments);
    Expect.contains(stream.frames().getLast(), "\"finish_reason\":\"tool_calls\"");
  }

  private static void named(Engine engine) {
    JsonNode answer = ended(engine.chat(NAMED).json());
    Expect.equal("get_kind", answer.at(CALL + "/name").asText());
  }

  private static void schema(Engine engine) {
    JsonNode answer =
        ended(
            engine
                .chat(
                    "\"max_tokens\":300,\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"n\",\"schema\":{\"type\":\"object\",\"properties\":{\"age\":{\"type\":\"integer\",\"minimum\":3,\"maximum\":5},\"kind\":{\"enum\":[\"cat\",\"dog\"]}},\"required\":[\"age\",\"kind\"]}}}")
                .json());
    JsonNode value = EngineAnswer.json(answer.at(CONTENT).asText());
    int age = value.path("age").asInt();
    Expect.that(age >= 3 && age <= 5, "age", value);
    Expect.matches("^(cat|dog)$", value.path("kind").asText());
  }

  private static void object(Engine engine) {
    JsonNode answer =
        ended(
            engine
                .chat("\"max_tokens\":1000,\"response_format\":{\"type\":\"json_object\"}")
                .json());
    Expect.that(EngineAnswer.json(answer.at(CONTENT).asText()).isObject(), "no object", answer);
  }

  private static void regex(Engine engine) {
    JsonNode answer =
        engine
            .chat("\"max_tokens\":50,\"structured_outputs\":{\"regex\":\"[A-Z]{3}-[0-9]{2,4}\"}")
            .json();
    Expect.matches("^[A-Z]{3}-[0-9]{2,4}$", answer.at(CONTENT).asText());
  }

  private static void allowed(Engine engine) {
    JsonNode ids =
        engine
            .client()
            .post("/tokenize", "{\"prompt\":\"y\",\"add_special_tokens\":false}")
            .json()
            .path("tokens");
    Expect.needs(ids.size() == 1, "one letter is several tokens");
    JsonNode answer =
        engine.chat("\"max_tokens\":3,\"ignore_eos\":true,\"allowed_token_ids\":" + ids).json();
    Expect.equal("yyy", answer.at(CONTENT).asText());
  }

  private static void badWords(Engine engine) {
    JsonNode answer =
        engine.chat("\"max_tokens\":300,\"temperature\":0,\"bad_words\":[\"the\"]").json();
    String text = answer.at(CONTENT).asText();
    Expect.that(!text.contains(" the "), "the bad word was generated", text);
  }

  private static boolean withoutParser(String answer) {
    return answer.contains("requires --tool-call-parser");
  }

  /** A random model may generate white space forever, which is also valid. */
  private static JsonNode ended(JsonNode answer) {
    Expect.needs(!withoutParser(answer.toString()), "the engine has no tool parser");
    Expect.that(answer.has("choices"), "no answer", answer);
    Expect.needs(
        !answer.at("/choices/0/finish_reason").asText().equals("length"), "the answer did not end");
    return answer;
  }
}
