package io.sluice.worker.engine.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A small engine that generates one fixed answer, one token per frame, and continues it from any
 * prompt that contains its beginning. Its dialect decides how it speaks.
 */
final class FakeEngine implements AutoCloseable {
  static final List<String> WORDS = List.of("Once", " upon", " a", " time");
  static final String ANSWER = String.join("", WORDS);
  private static final int FIRST_ID = 11;
  private static final int PROMPT_TOKENS = 3;

  /** A request to generate. */
  record Received(String path, JsonNode body) {}

  private final SpokenDialect spoken;
  private final ScriptedServer server;
  private final List<Received> received = new CopyOnWriteArrayList<>();
  private volatile int framesToLive = Integer.MAX_VALUE;
  private volatile Optional<SpokenDialect.Fault> fault = Optional.empty();
  private volatile String finishReason = "stop";
  private volatile boolean sendsDone;

  FakeEngine(SpokenDialect spoken) throws IOException {
    this.spoken = spoken;
    this.sendsDone = spoken.sendsDone();
    this.server = new ScriptedServer(this::answer);
  }

  URI uri() {
    return server.uri();
  }

  /** Returns the requests that it began to answer, in order. */
  List<Received> received() {
    return List.copyOf(received);
  }

  /** The next stream breaks after so many tokens. */
  void dieAfter(int tokens) {
    framesToLive = tokens;
  }

  void refuse(SpokenDialect.Fault with) {
    fault = Optional.of(with);
  }

  void finishWith(String reason) {
    finishReason = reason;
  }

  void sendDone(boolean isSent) {
    sendsDone = isSent;
  }

  static String text(int id) {
    return WORDS.get(id - FIRST_ID);
  }

  @Override
  public void close() throws IOException {
    server.close();
  }

  private void answer(ScriptedServer.Connection connection) throws IOException {
    String[] line = connection.head().lines().findFirst().orElseThrow().split(" ");
    if (line[0].equals("GET")) {
      send(connection, spoken.get(line[1]));
      return;
    }
    JsonNode body = Json.tree(connection.body().getBytes(java.nio.charset.StandardCharsets.UTF_8));
    if (!line[1].endsWith("/completions")) {
      send(connection, spoken.post(line[1], body));
      return;
    }
    Optional<SpokenDialect.Reply> refusal = fault.map(spoken::error).or(() -> spoken.refusal(body));
    if (refusal.isPresent()) {
      send(connection, refusal.get());
    } else {
      received.add(new Received(line[1], body));
      stream(connection, body, !line[1].contains("chat"));
    }
  }

  private void stream(ScriptedServer.Connection connection, JsonNode body, boolean isCompletion)
      throws IOException {
    int left = framesToLive;
    framesToLive = Integer.MAX_VALUE;
    connection.sendStreamHead();
    int begun = begun(body);
    boolean hasRunningUsage =
        body.path("stream_options").path("continuous_usage_stats").asBoolean();
    for (int i = begun; i < WORDS.size(); i++) {
      if (left-- == 0) {
        connection.socket().close();
        return;
      }
      ObjectNode frame = frame();
      ObjectNode choice = frame.putArray("choices").addObject().put("index", 0);
      if (isCompletion) {
        choice.put("text", WORDS.get(i));
      } else {
        choice.putObject("delta").put("content", WORDS.get(i));
      }
      spoken.choice(choice, body, List.of(FIRST_ID + i));
      boolean isLast = i == WORDS.size() - 1;
      choice.set(
          "finish_reason",
          isLast
              ? Json.mapper().getNodeFactory().textNode(finishReason)
              : Json.mapper().nullNode());
      if (hasRunningUsage) {
        usage(frame, i + 1 - begun, body);
      }
      connection.sendFrame(Json.text(frame));
    }
    ObjectNode last = frame();
    last.putArray("choices");
    usage(last, WORDS.size() - begun, body);
    connection.sendFrame(Json.text(last));
    if (sendsDone) {
      connection.sendFrame("[DONE]");
    }
    connection.sendLastChunk();
  }

  private static ObjectNode frame() {
    return Json.mapper().createObjectNode().put("id", "e-1").put("created", 1).put("model", "m");
  }

  private static void usage(ObjectNode frame, int made, JsonNode body) {
    int prompt = PROMPT_TOKENS + begun(body);
    frame
        .putObject("usage")
        .put("prompt_tokens", prompt)
        .put("total_tokens", prompt + made)
        .put("completion_tokens", made);
  }

  /** Returns how many tokens of the answer the prompt holds. */
  private static int begun(JsonNode body) {
    if (body.path("prompt").isArray()) {
      return body.path("prompt").size() - PROMPT_TOKENS;
    }
    JsonNode messages = body.path("messages");
    JsonNode last = messages.path(messages.size() - 1);
    boolean isBegun = last.path("role").asText().equals("assistant");
    String prompt = isBegun ? last.path("content").asText() : body.path("prompt").asText();
    int words = 0;
    String text = "";
    for (String word : WORDS) {
      text += word;
      words++;
      if (prompt.endsWith(text)) {
        return words;
      }
    }
    return 0;
  }

  private static void send(ScriptedServer.Connection connection, SpokenDialect.Reply reply)
      throws IOException {
    connection.sendWhole(reply.status(), reply.headers(), reply.body());
  }
}
