package io.sluice.verify.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.verify.http.Engine;
import io.sluice.verify.http.EngineAnswer;
import java.util.List;

/** Rules about whole answers. */
final class AnswerRules {

  private AnswerRules() {}

  static List<Rule> all() {
    return List.of(
        new Rule(
            "1.4 return_token_ids returns prompt and output ids, the same whole and streamed",
            AnswerRules::tokenIds),
        new Rule(
            "1.4 chat logprobs: one entry per token, with bytes and alternatives",
            AnswerRules::chatLogprobs),
        new Rule(
            "1.4 completion logprobs: parallel lists and offsets", AnswerRules::completionLogprobs),
        new Rule(
            "1.4 return_tokens_as_token_ids names tokens by id",
            engine ->
                Expect.matches(
                    "^token_id:\\d+$",
                    engine
                        .chat(
                            "\"max_tokens\":1,\"logprobs\":true,\"return_tokens_as_token_ids\":true")
                        .json()
                        .at("/choices/0/logprobs/content/0/token")
                        .asText())),
        new Rule(
            "1.4 prompt_logprobs: null first, then candidates by id", AnswerRules::promptLogprobs),
        new Rule(
            "1.5 a whole chat answer has its keys in order, nulls included", AnswerRules::chatKeys),
        new Rule("1.5 the end-of-text token counts in usage", AnswerRules::endCounts));
  }

  private static void tokenIds(Engine engine) {
    String fields = "\"max_tokens\":8,\"temperature\":0,\"return_token_ids\":true";
    JsonNode whole = engine.chat(fields).json();
    EngineAnswer stream = engine.chat(fields + ",\"stream\":true");
    StringBuilder streamed = new StringBuilder();
    for (String frame : stream.frames()) {
      EngineAnswer.json(frame)
          .at("/choices/0/token_ids")
          .forEach(id -> streamed.append(streamed.isEmpty() ? "" : ",").append(id));
    }
    Expect.equal(whole.at("/usage/prompt_tokens").asInt(), whole.path("prompt_token_ids").size());
    Expect.equal(whole.at("/choices/0/token_ids").toString(), "[" + streamed + "]");
    Expect.contains(stream.frames().getFirst(), "\"prompt_token_ids\":[");
  }

  private static void chatLogprobs(Engine engine) {
    JsonNode content =
        engine
            .chat("\"max_tokens\":4,\"ignore_eos\":true,\"logprobs\":true,\"top_logprobs\":2")
            .json()
            .at("/choices/0/logprobs/content");
    Expect.equal(4, content.size());
    for (JsonNode token : content) {
      Expect.that(token.path("logprob").asDouble(1) <= 0, "a logprob above 0", token);
      // The sampled token comes first, even if it is not among the most likely ones.
      Expect.that(token.path("top_logprobs").size() >= 2, "too few alternatives", token);
      Expect.that(token.path("bytes").isArray(), "no bytes", token);
    }
  }

  private static void completionLogprobs(Engine engine) {
    JsonNode logprobs =
        engine
            .completion(
                "\"prompt\":\"One two\",\"max_tokens\":3,\"ignore_eos\":true,\"logprobs\":1,\"echo\":true")
            .json()
            .at("/choices/0/logprobs");
    int tokens = logprobs.path("tokens").size();
    Expect.that(tokens > 3, "too few tokens", tokens);
    Expect.equal(tokens, logprobs.path("token_logprobs").size());
    Expect.equal(tokens, logprobs.path("top_logprobs").size());
    Expect.that(logprobs.at("/token_logprobs/0").isNull(), "the first has a logprob", logprobs);
    Expect.equal(0, logprobs.at("/text_offset/0").asInt(-1));
    Expect.equal(logprobs.at("/tokens/0").asText().length(), logprobs.at("/text_offset/1").asInt());
  }

  private static void promptLogprobs(Engine engine) {
    JsonNode answer =
        engine
            .completion("\"prompt\":\"One two three\",\"max_tokens\":1,\"prompt_logprobs\":1")
            .json();
    JsonNode logprobs = answer.at("/choices/0/prompt_logprobs");
    Expect.equal(answer.at("/usage/prompt_tokens").asInt(), logprobs.size());
    Expect.that(logprobs.path(0).isNull(), "the first has candidates", logprobs.path(0));
    Expect.that(
        logprobs.path(1).iterator().hasNext()
            && logprobs.path(1).iterator().next().has("decoded_token"),
        "no candidates",
        logprobs.path(1));
  }

  private static void chatKeys(Engine engine) {
    JsonNode answer = engine.chat("\"max_tokens\":1").json();
    Expect.matches(
        "^id,object,created,model,choices,service_tier,system_fingerprint,usage,prompt_logprobs,prompt_token_ids,prompt_text,kv_transfer_params",
        String.join(",", Expect.keys(answer)));
    Expect.matches(
        "^index,message,logprobs,finish_reason,stop_reason,token_ids",
        String.join(",", Expect.keys(answer.at("/choices/0"))));
    Expect.matches(
        "^prompt_tokens,total_tokens,completion_tokens",
        String.join(",", Expect.keys(answer.path("usage"))));
  }

  private static void endCounts(Engine engine) {
    JsonNode answer =
        engine.chat("\"temperature\":0,\"max_tokens\":1000,\"return_token_ids\":true").json();
    Expect.needs(
        answer.at("/choices/0/finish_reason").asText().equals("stop"), "the answer did not end");
    Expect.equal(
        answer.at("/choices/0/token_ids").size(), answer.at("/usage/completion_tokens").asInt());
  }
}
