package io.sluice.standalone.verify;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.SluiceClient;
import io.sluice.standalone.verify.pool.Finding;
import io.sluice.verify.http.Engine;
import io.sluice.verify.http.EngineAnswer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;

/**
 * Whether the whole answers of a pool have all that the engine gives. The same request goes to the
 * engine directly and through the pool, and the keys of both answers are compared at every level;
 * {@link PoolCheck} compares the values. For one thread.
 */
final class WholeAnswerCheck {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** What the pool does not pass on, and why. */
  private static final Map<String, String> NOT_PASSED =
      Map.of(
          "/usage/prompt_tokens_details/created_cache_tokens",
          "usage is that of the request over all its attempts; the engine tells its own attempt's");

  private static final String CHAT =
      """
      {"messages":[{"role":"user","content":"Tell me of rivers."}],"max_tokens":12,"temperature":0,
       "return_token_ids":true,"logprobs":true,"top_logprobs":1}""";
  private static final String COMPLETION =
      """
      {"prompt":"Once upon a time","max_tokens":12,"temperature":0,"return_token_ids":true,
       "logprobs":1}""";

  private final SluiceClient client;
  private final Engine engine;
  private final boolean isWithPromptLogprobs;

  /**
   * A check of a pool over one engine. Where that has adapters, {@code prompt_logprobs} is left
   * out: vLLM's CPU build may die of it.
   */
  WholeAnswerCheck(SluiceClient client, Engine engine) {
    this.client = client;
    this.engine = engine;
    this.isWithPromptLogprobs = engine.loras().isEmpty();
  }

  /** Asks a chat and a completion; tells each finding with its name. */
  void run(BiConsumer<String, Finding> findings) throws InterruptedException {
    for (boolean isWith : isWithPromptLogprobs ? List.of(false, true) : List.of(false)) {
      String more = isWith ? " with prompt_logprobs" : "";
      findings.accept("whole chat" + more, compare(Endpoint.CHAT_COMPLETIONS, CHAT, isWith));
      findings.accept("whole completion" + more, compare(Endpoint.COMPLETIONS, COMPLETION, isWith));
    }
  }

  private Finding compare(Endpoint endpoint, String fields, boolean isWith)
      throws InterruptedException {
    byte[] body = body(fields, isWith);
    EngineAnswer direct =
        engine.client().post(endpoint.path(), new String(body, StandardCharsets.UTF_8));
    if (direct.status() != 200) {
      return Finding.skipped(
          "the engine answers %d: %s".formatted(direct.status(), direct.body().strip()));
    }
    try {
      return finding(direct.json(), throughPool(endpoint, body));
    } catch (ExecutionException e) {
      return Finding.broken("expected the engine's answer from the pool; " + e.getCause());
    } catch (TimeoutException e) {
      return Finding.broken(
          "expected the engine's answer from the pool; none came within %d s"
              .formatted(PATIENCE.toSeconds()));
    }
  }

  private byte[] body(String fields, boolean isWith) {
    ObjectNode body = ((ObjectNode) EngineAnswer.json(fields)).put("model", engine.model());
    return Json.bytes(isWith ? body.put("prompt_logprobs", 1) : body);
  }

  private JsonNode throughPool(Endpoint endpoint, byte[] body)
      throws InterruptedException, ExecutionException, TimeoutException {
    InferenceRequest request = InferenceRequest.of(endpoint, body).build();
    return EngineAnswer.json(
        client.submit(request).answer().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS).json());
  }

  /** Compares the engine's answer with the pool's. */
  static Finding finding(JsonNode engine, JsonNode pool) {
    SortedSet<String> given = AnswerKeys.of(engine);
    SortedSet<String> missing = new TreeSet<>(given);
    missing.removeAll(AnswerKeys.of(pool));
    List<String> decided = new ArrayList<>();
    NOT_PASSED.forEach(
        (key, reason) -> {
          if (missing.remove(key)) {
            decided.add(key + " (" + reason + ")");
          }
        });
    if (!missing.isEmpty()) {
      return Finding.broken(
          "expected all that the engine gives; the pool's answer lacks "
              + String.join(", ", missing));
    }
    return Finding.kept(
        "the pool's answer has all %d keys of the engine's%s"
            .formatted(
                given.size(), decided.isEmpty() ? "" : " but for " + String.join(", ", decided)));
  }
}
