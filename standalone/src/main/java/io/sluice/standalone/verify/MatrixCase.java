package io.sluice.standalone.verify;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A request with one option of the engines' API, or with several related ones.
 *
 * @param body with everything but the model
 * @param isForAdapter whether it asks for an adapter of the engine, while the same request for the
 *     base model runs
 */
record MatrixCase(String name, Endpoint endpoint, ObjectNode body, boolean isForAdapter) {
  /** A prompt of more tokens would take too long. */
  private static final int MOST_PROMPT_TOKENS = 16_384;

  /** What the prompt leaves of the context: less than the request's limit. */
  private static final int ROOM = 60;

  private static final int ANY_TOKEN = 100;

  /**
   * Returns the cases for an engine.
   *
   * @param maxModelLen its context in tokens; 0 if that is not known
   * @param adapters the adapters that it has
   */
  static List<MatrixCase> of(int maxModelLen, List<String> adapters) {
    List<MatrixCase> cases =
        new ArrayList<>(
            all().stream().filter(each -> !each.isForAdapter() || !adapters.isEmpty()).toList());
    if (maxModelLen > 2 * ROOM && maxModelLen <= MOST_PROMPT_TOKENS) {
      cases.add(thatFillsTheContext(maxModelLen));
    }
    return cases;
  }

  /** The answer ends where the context does, before its limit. */
  private static MatrixCase thatFillsTheContext(int maxModelLen) {
    ObjectNode body = Json.mapper().createObjectNode();
    for (int i = ROOM; i < maxModelLen; i++) {
      body.withArray("prompt").add(ANY_TOKEN);
    }
    body.put("max_tokens", 2 * ROOM)
        .put("temperature", 0)
        .put("ignore_eos", true)
        .put("stream", true);
    return new MatrixCase("completion, a full context", Endpoint.COMPLETIONS, body, false);
  }

  /**
   * Returns all cases of {@code option-matrix.json}: each field of a case replaces one of the
   * defaults of its endpoint, and {@code null} removes it.
   */
  static List<MatrixCase> all() {
    JsonNode matrix = read();
    List<MatrixCase> cases = new ArrayList<>();
    for (JsonNode row : matrix.path("cases")) {
      boolean isChat = !row.path("completions").asBoolean();
      ObjectNode body = matrix.path("defaults").path(isChat ? "chat" : "completions").deepCopy();
      row.path("body").properties().forEach(field -> body.set(field.getKey(), field.getValue()));
      body.properties().removeIf(field -> field.getValue().isNull());
      cases.add(
          new MatrixCase(
              row.path("name").asText(),
              isChat ? Endpoint.CHAT_COMPLETIONS : Endpoint.COMPLETIONS,
              body,
              row.path("adapter").asBoolean()));
    }
    return cases;
  }

  /** Returns the body of a request to a model. */
  byte[] bodyFor(String model) {
    return Json.bytes(body.deepCopy().put("model", model));
  }

  private static JsonNode read() {
    try (InputStream in = MatrixCase.class.getResourceAsStream("option-matrix.json")) {
      return Json.tree(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
