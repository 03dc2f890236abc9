package io.sluice.verify.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.verify.http.Engine;
import io.sluice.verify.http.EngineAnswer;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;

/** Rules about the server and its small endpoints. */
final class ServerRules {

  private static final String LEFT_ALONE = "GET /health HTTP/1.1\r\nhost: x\r\n\r\n";
  private static final String VERSION = "GET /version HTTP/1.1\r\nhost: x\r\n\r\n";
  private static final double IDLE_SECONDS = 4.9;

  private ServerRules() {}

  static List<Rule> all() {
    return List.of(
        new Rule("1.1 unknown path: 404 with detail", ServerRules::unknownPath),
        new Rule("1.1 wrong method: 405 with detail", ServerRules::wrongMethod),
        new Rule(
            "1.1 unknown fields are ignored",
            engine ->
                Expect.status(
                    200, engine.chat("\"max_tokens\":1,\"best_of\":3,\"colour\":\"red\""))),
        new Rule("1.1 an idle connection is closed after 5 s", ServerRules::idleClose),
        new Rule("1.1 a connection serves several requests", ServerRules::keepAlive),
        new Rule("1.2 /health and /ping: 200 and empty", ServerRules::health),
        new Rule("1.2 /version and /load have one key each", ServerRules::versionAndLoad),
        new Rule("1.6 /v1/models: cards with their keys in order", ServerRules::models),
        new Rule("1.6 an adapter's card has its parent and no context", ServerRules::loraCards),
        new Rule("1.6 detokenize reverses tokenize", ServerRules::tokenize),
        new Rule(
            "1.6 tokenizing messages includes the template, as in usage",
            ServerRules::tokenizeMessages),
        new Rule(
            "4.1 /metrics: content type, and the gauges that routing reads", ServerRules::metrics));
  }

  private static void unknownPath(Engine engine) {
    EngineAnswer answer = engine.client().get("/nowhere");
    Expect.status(404, answer);
    Expect.equal("{\"detail\":\"Not Found\"}", answer.body());
  }

  private static void wrongMethod(Engine engine) {
    EngineAnswer answer = engine.client().get(Engine.CHAT);
    Expect.status(405, answer);
    Expect.equal("{\"detail\":\"Method Not Allowed\"}", answer.body());
  }

  private static void idleClose(Engine engine) throws IOException {
    try (Socket socket = engine.client().connect()) {
      long start = System.nanoTime();
      socket.getOutputStream().write(LEFT_ALONE.getBytes(StandardCharsets.US_ASCII));
      // The end of the connection. The socket timeout is the upper limit.
      socket.getInputStream().readAllBytes();
      double seconds = (System.nanoTime() - start) / 1e9;
      Expect.that(seconds > IDLE_SECONDS, "closed too soon, after seconds", seconds);
    }
  }

  private static void keepAlive(Engine engine) {
    List<String> answers = engine.client().raw(Collections.nCopies(2, VERSION), "}");
    answers.forEach(answer -> Expect.matches("^HTTP/1.1 200 OK\r\n", answer));
  }

  private static void health(Engine engine) {
    for (String path : List.of("/health", "/ping")) {
      Expect.status(200, engine.client().get(path));
      Expect.equal("", engine.client().get(path).body());
    }
  }

  private static void versionAndLoad(Engine engine) {
    Expect.matches("^\\{\"version\":\"[^\"]+\"}$", engine.client().get("/version").body());
    Expect.matches("^\\{\"server_load\":\\d+}$", engine.client().get("/load").body());
  }

  private static void models(Engine engine) {
    Expect.matches(
        "^\\{\"object\":\"list\",\"data\":\\[\\{\"id\":\"[^\"]+\",\"object\":\"model\",\"created\":\\d+,\"owned_by\":\"vllm\",\"root\":\"[^\"]+\",\"parent\":null,\"max_model_len\":\\d+,\"permission\":\\[\\{\"id\":\"modelperm-[0-9a-f]+\",\"object\":\"model_permission\"",
        engine.client().get("/v1/models").body());
  }

  private static void loraCards(Engine engine) {
    Expect.needs(!engine.loras().isEmpty(), "the engine has no adapter");
    for (JsonNode card : engine.client().get("/v1/models").json().path("data")) {
      if (engine.loras().contains(card.path("id").asText())) {
        Expect.equal(engine.model(), card.path("parent").asText());
        Expect.that(card.path("max_model_len").isNull(), "the adapter has a context", card);
      }
    }
  }

  private static void tokenize(Engine engine) {
    String text = "Straße, 東京 and 🙂 <b>";
    String body =
        "{\"prompt\":\"%s\",\"add_special_tokens\":false,\"return_token_strs\":true}"
            .formatted(text);
    JsonNode tokens = engine.client().post("/tokenize", body).json();
    Expect.equal(tokens.path("tokens").size(), tokens.path("count").asInt());
    Expect.equal(tokens.path("tokens").size(), tokens.path("token_strs").size());
    String ids = "{\"tokens\":" + tokens.path("tokens") + "}";
    Expect.equal(text, engine.client().post("/detokenize", ids).json().path("prompt").asText());
  }

  private static void tokenizeMessages(Engine engine) {
    JsonNode count = engine.client().post("/tokenize", engine.chatBody("")).json().path("count");
    Expect.equal(
        count.asInt(), engine.chat("\"max_tokens\":1").json().at("/usage/prompt_tokens").asInt());
  }

  private static void metrics(Engine engine) {
    EngineAnswer page = engine.client().get("/metrics");
    Expect.matches("^text/plain", page.header("content-type"));
    Expect.contains(
        page.body(),
        "vllm:num_requests_running{",
        "vllm:num_requests_waiting{",
        "vllm:kv_cache_usage_perc{",
        "# TYPE vllm:prompt_tokens_total counter");
  }
}
