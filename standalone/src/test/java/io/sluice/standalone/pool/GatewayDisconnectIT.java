package io.sluice.standalone.pool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.RequestId;
import io.sluice.fleet.redis.RedisConnection;
import io.sluice.fleet.retry.RetryIndex;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.app.Gateway;
import io.sluice.gateway.pool.ClientTry;
import io.sluice.gateway.responses.record.ResponseId;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.fault.Fault;
import io.sluice.simulator.fit.MetricsPage;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.api.RedissonClient;

/** Clients that leave, and clients that come back. The pool runs one request at a time. */
@ExtendWith(SharedBackends.class)
@TestInstance(Lifecycle.PER_CLASS)
class GatewayDisconnectIT {
  /** Takes the simulated engine over a minute. */
  private static final int FOR_MINUTES = 12_000;

  /** Takes the engine over 20 s to compute while it is slow. */
  private static final int LONG_PROMPT_WORDS = 20_000;

  private static final String SLOW = "engine-slow=10";

  private static final String CHATS = "/v1/chat/completions";
  private static final String RESPONSES = "/v1/responses";
  private static final int RESPONSE_TOKENS = 400;
  private static final Duration BOUND = Duration.ofSeconds(20);

  private final HttpClient http = HttpClient.newHttpClient();
  private String unsentId = "";
  private SimulatedEngine engine;
  private LocalPool pool;

  @BeforeAll
  void start(Backends backends) throws Exception {
    PoolPlan plan = Pools.plan(backends, 1);
    WorkerPlan worker = plan.workers().getFirst();
    SimulatorConfig simulated = ((WorkerPlan.Engine.Simulated) worker.engine()).config();
    engine = SimulatedEngine.start(simulated);
    pool =
        LocalPool.start(
            PoolPlanBuilder.builder(plan)
                .models("")
                .fallbacks("")
                .workers(
                    List.of(
                        new WorkerPlan(worker.id(), worker.tier(), Pools.warm(engine.uri()), 1)))
                .build());
  }

  /** What an earlier test left would add tokens to those that a test counts. */
  @BeforeEach
  void awaitIdle() {
    unsentId = RequestId.next();
    awaitWaiting(0);
    awaitRunning(0);
    awaitEngine("vllm:num_requests_running", 0);
  }

  @AfterAll
  void stop() {
    pool.close();
    engine.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theRequestOfAClientThatLeavesIsNotGeneratedFurther(boolean streamed) throws Exception {
    // Given
    try (Socket _ = send(chat("leave", FOR_MINUTES, streamed), "")) {
      awaitRunning(1);
      awaitEngine("vllm:num_requests_running", 1);
    }

    // Then
    awaitRunning(0);
    awaitEngine("vllm:num_requests_running", 0);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void thePromptOfAClientThatLeavesIsNotComputedFurther(boolean streamed) throws Exception {
    // Given
    double before = engine("vllm:generation_tokens_total");
    engine.faults().set(List.of(Fault.parse(SLOW)));
    try {
      String prompt = (streamed ? "sea " : "wind ").repeat(LONG_PROMPT_WORDS);
      try (Socket _ = send(chat(prompt, 3, streamed), "")) {
        awaitEngine("vllm:num_requests_running", 1);
      }

      // Then
      awaitRunning(0);
      awaitEngine("vllm:num_requests_running", 0);
      assertThat(engine("vllm:generation_tokens_total")).isEqualTo(before);
    } finally {
      engine.faults().set(List.of());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aStreamThatAnHttp2ClientResetsEndsItsRequestAndNoOther(boolean streamed) throws Exception {
    try (Http2Client client = new Http2Client(pool.gatewayPort())) {
      // Given a request that runs, and another one of the same connection that waits for it
      var running = client.post(CHATS, chat("reset", FOR_MINUTES, streamed));
      awaitRunning(1);
      var waiting = client.post(CHATS, chat("other", 3, streamed));
      awaitWaiting(1);

      // When
      running.reset();

      // Then
      assertThat(waiting.status().get(60, TimeUnit.SECONDS)).isEqualTo(200);
      assertThat(waiting.body().get(60, TimeUnit.SECONDS)).contains("\"finish_reason\":\"length\"");
      awaitRunning(0);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aStreamThatIsResetWhileItsRequestWaitsIsNotBegun(boolean streamed) throws Exception {
    try (Http2Client client = new Http2Client(pool.gatewayPort())) {
      // Given
      var running = client.post(CHATS, chat("run", FOR_MINUTES, true));
      awaitRunning(1);
      var waiting = client.post(CHATS, chat("wait", FOR_MINUTES, streamed));
      awaitWaiting(1);

      // When
      waiting.reset();

      // Then
      awaitWaiting(0);
      assertThat(worker("sluice_worker_running")).isEqualTo(1);
      assertThat(running.body()).isNotDone();
    }
    awaitRunning(0);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theRequestOfAJavaClientThatCancelsItEnds(boolean isUpgraded) throws Exception {
    // Given a client of HTTP/2 that sends its first request with an upgrade
    try (HttpClient client = HttpClient.newHttpClient()) {
      if (isUpgraded) {
        client.send(request(chat("hello", 3, false), "a", "b"), BodyHandlers.ofString());
      }
      var answer =
          client.sendAsync(
              request(chat("cancel", FOR_MINUTES, false), "a", "b"), BodyHandlers.ofString());
      awaitRunning(1);

      // When
      answer.cancel(true);

      // Then
      awaitRunning(0);
    }
  }

  @Test
  void theRequestOfAClientThatLeavesGoesOnForTheGraceThatIsSet() throws Exception {
    try (Gateway patient = Pools.gateway(pool, Map.of("disconnect-grace-millis", "60000"))) {
      // When
      String id;
      try (Socket socket = send(patient.port(), CHATS, chat("grace", 100, true), "")) {
        id = requestId(socket);
      }

      // Then
      HttpRequest rest =
          HttpRequest.newBuilder(
                  URI.create(
                      "http://127.0.0.1:%d/v1/requests/%s/stream".formatted(patient.port(), id)))
              .build();
      assertThat(http.send(rest, BodyHandlers.ofString()).body())
          .contains("\"finish_reason\":\"length\"", "[DONE]");
    }
    awaitRunning(0);
  }

  /** Reads the head of a response. */
  private static String requestId(Socket socket) throws IOException {
    String name = "x-request-id: ";
    BufferedReader head = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
    for (String line = head.readLine(); line != null; line = head.readLine()) {
      if (line.startsWith(name)) {
        return line.substring(name.length());
      }
    }
    throw new IOException("no " + name);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theRequestOfAClientThatLeavesWhileItWaitsIsNotBegun(boolean streamed) throws Exception {
    // Given
    try (Socket _ = send(chat("run", FOR_MINUTES, true), "")) {
      awaitRunning(1);
      try (Socket _ = send(chat("wait", FOR_MINUTES, streamed), "")) {
        awaitWaiting(1);
      }

      // Then
      awaitWaiting(0);
    }
    awaitRunning(0);
  }

  @Test
  void aRetryGetsTheAnswerOfTheRequestThatItsClientGaveUp() throws Exception {
    // Given
    double before = tokens();
    String body = chat("retry", 400, false);
    try (Socket _ = send(body, "x-stainless-retry-count: 0\r\n")) {
      awaitRunning(1);
    }

    // When
    HttpResponse<String> retry = post(body, "x-stainless-retry-count", "1");

    // Then
    JsonNode answer = Json.mapper().readTree(retry.body());
    assertThat(answer.at("/usage/completion_tokens").asInt()).as(retry.body()).isEqualTo(400);
    assertThat(tokens() - before).isEqualTo(400);
  }

  @Test
  void aRetryGetsTheAnswerOfTheStreamThatItsClientReset() throws Exception {
    // Given
    double before = tokens();
    String body = chat("retry over HTTP/2", 400, false);
    try (Http2Client client = new Http2Client(pool.gatewayPort())) {
      var first = client.post(CHATS, body, Map.of("x-stainless-retry-count", "0"));
      awaitRunning(1);
      first.reset();

      // When
      var retry = client.post(CHATS, body, Map.of("x-stainless-retry-count", "1"));

      // Then
      assertThat(retry.body().get(60, TimeUnit.SECONDS)).contains("\"completion_tokens\":400");
      assertThat(tokens() - before).isEqualTo(400);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ",\"background\":true",
        ",\"background\":true,\"stream\":true",
        ",\"store\":false"
      })
  void aRetryGetsTheResponseThatItsClientGaveUp(String fields) throws Exception {
    // Given
    double before = tokens();
    String body = response("give up" + fields, fields);
    try (Socket _ = send(RESPONSES, body, "x-stainless-retry-count: 0\r\n")) {
      awaitRunning(1);
    }
    String later = ResponseId.of(RequestId.next());

    // When
    HttpResponse<String> retry = http.send(retry(RESPONSES, body), BodyHandlers.ofString());

    // Then it is the response of the first try: ids are ordered by time
    assertThat(retry.statusCode()).as(retry.body()).isEqualTo(200);
    Matcher id = Pattern.compile("\"id\":\"(resp_[^\"]+)").matcher(retry.body());
    assertThat(id.find()).isTrue();
    assertThat(id.group(1)).isLessThan(later);
    awaitRunning(0);
    assertThat(tokens() - before).isBetween(1.0, (double) RESPONSE_TOKENS);
    if (fields.contains("store")) {
      assertThat(get(RESPONSES + "/" + id.group(1)).statusCode()).isEqualTo(404);
    } else {
      await()
          .atMost(BOUND)
          .untilAsserted(
              () ->
                  assertThat(
                          Json.mapper()
                              .readTree(get(RESPONSES + "/" + id.group(1)).body())
                              .at("/usage/output_tokens")
                              .asInt(-1))
                      .isEqualTo((int) (tokens() - before)));
    }
  }

  @Test
  void aRetryGetsTheResponseThatADeadGatewayHasNotSent() throws Exception {
    HttpResponse<String> retry =
        retryOfUnsent(RESPONSES, response("never sent", ",\"store\":false"));

    assertThat(id(retry)).isEqualTo(unsentId);
    assertThat(retry.body()).contains("\"output_tokens\":");
  }

  @Test
  void aRetryGetsTheChatThatADeadGatewayHasNotSent() throws Exception {
    HttpResponse<String> retry = retryOfUnsent(CHATS, chat("never sent", 5, false));

    assertThat(id(retry)).isEqualTo(unsentId);
    assertThat(retry.body()).contains("\"completion_tokens\":5");
  }

  /** Sends the retry of a try that is noted with an id that is nowhere else. */
  private HttpResponse<String> retryOfUnsent(String path, String body) throws Exception {
    var first =
        io.micronaut.http.HttpRequest.POST(path, body).header("x-stainless-retry-count", "0");
    RetryIndex.Try noted =
        ClientTry.of(first, Caller.ofTenant("default"), body.getBytes(UTF_8)).noted().orElseThrow();
    RedissonClient redis = RedisConnection.open(pool.redis());
    try {
      new RetryIndex(redis, "default")
          .begin(noted, unsentId, Duration.ofMinutes(1), Optional.empty())
          .toCompletableFuture()
          .get(10, TimeUnit.SECONDS);
    } finally {
      redis.shutdown();
    }
    try (Gateway other = Pools.gateway(pool, Map.of("keep-alive-seconds", "1"))) {
      return http.send(retry(other.port(), path, body), BodyHandlers.ofString());
    }
  }

  @Test
  void requestsWithOneIdempotencyKeyAreOne() throws Exception {
    // Given
    double before = tokens();
    String body = chat("key", 400, true);
    CompletableFuture<HttpResponse<String>> first =
        http.sendAsync(request(body, "idempotency-key", "k1"), BodyHandlers.ofString());
    awaitRunning(1);

    // When
    HttpResponse<String> second = post(body, "idempotency-key", "k1");

    // Then
    HttpResponse<String> whole = first.get(60, TimeUnit.SECONDS);
    assertThat(second.headers().firstValue("x-request-id"))
        .isEqualTo(whole.headers().firstValue("x-request-id"));
    assertThat(second.body()).endsWith("data: [DONE]\n\n").isEqualTo(whole.body());
    assertThat(tokens() - before).isEqualTo(400);
  }

  @Test
  void anotherBodyWithTheSameCountIsAnotherRequest() throws Exception {
    // Given
    post(chat("one", 3, false), "x-stainless-retry-count", "0");

    // When
    HttpResponse<String> other = post(chat("two", 5, false), "x-stainless-retry-count", "1");

    // Then
    assertThat(Json.mapper().readTree(other.body()).at("/usage/completion_tokens").asInt())
        .isEqualTo(5);
  }

  @Test
  void twoRetriesOfEqualRequestsGetTheAnswersOfBoth() throws Exception {
    // Given two equal requests, one of which waits for the other
    String body = chat("twins", 400, false);
    try (Socket _ = send(body, "x-stainless-retry-count: 0\r\n");
        Socket _ = send(body, "x-stainless-retry-count: 0\r\n")) {
      awaitRunning(1);
      awaitWaiting(1);
    }

    // When
    String later = RequestId.next();
    HttpRequest retry = request(body, "x-stainless-retry-count", "1");
    CompletableFuture<HttpResponse<String>> one = http.sendAsync(retry, BodyHandlers.ofString());
    CompletableFuture<HttpResponse<String>> two = http.sendAsync(retry, BodyHandlers.ofString());

    // Then both answers are those of the first tries: ids are ordered by time
    assertThat(List.of(id(one.get(60, TimeUnit.SECONDS)), id(two.get(60, TimeUnit.SECONDS))))
        .doesNotHaveDuplicates()
        .allMatch(id -> id.compareTo(later) < 0);
  }

  @Test
  void aRetryOfWhatTheGatewayRefusedIsSent() throws Exception {
    // Given a gateway that is busy
    String body = chat("refused", 3, false);
    try (Gateway small = Pools.gateway(pool, Map.of("max-concurrent", "1"))) {
      try (Socket _ = send(small.port(), CHATS, chat("busy", FOR_MINUTES, true), "")) {
        awaitRunning(1);
        HttpRequest first = request(small.port(), body, "x-stainless-retry-count", "0");
        assertThat(http.send(first, BodyHandlers.ofString()).statusCode()).isEqualTo(429);
      }
      awaitRunning(0);

      // Then
      HttpRequest retry = request(small.port(), body, "x-stainless-retry-count", "1");
      await()
          .atMost(BOUND)
          .until(() -> http.send(retry, BodyHandlers.ofString()).statusCode() == 200);
    }
  }

  @Test
  void allEqualRequestsOfAProgramThatDiesEnd() throws Exception {
    // Given
    String body = chat("orphans", FOR_MINUTES, false);
    try (Socket _ = send(body, "x-stainless-retry-count: 0\r\n");
        Socket _ = send(body, "x-stainless-retry-count: 0\r\n")) {
      awaitRunning(1);
      awaitWaiting(1);
    }

    // Then
    awaitWaiting(0);
    awaitRunning(0);
  }

  @Test
  void anIdempotencyKeyBelongsToOneBody() throws Exception {
    // Given
    HttpResponse<String> first = post(chat("first", 3, false), "idempotency-key", "k2");

    // When
    HttpResponse<String> other = post(chat("other", 3, false), "idempotency-key", "k2");

    // Then
    assertThat(other.statusCode()).isEqualTo(422);
    assertThat(other.body()).contains("\"code\":\"idempotency_key_reused\"", "send a new key");
    assertThat(other.headers().firstValue("x-should-retry")).contains("false");
    assertThat(id(post(chat("first", 3, false), "idempotency-key", "k2"))).isEqualTo(id(first));
  }

  private static String id(HttpResponse<String> response) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return response.headers().firstValue("x-request-id").orElseThrow();
  }

  private static String chat(String prompt, int tokens, boolean stream) {
    return new String(Requests.chat(PoolPlan.MODEL, prompt, tokens, stream), UTF_8);
  }

  private static String response(String prompt, String fields) {
    return "{\"model\":\"%s\",\"input\":\"%s\",\"max_output_tokens\":%d%s}"
        .formatted(PoolPlan.MODEL, prompt.replace('"', ' '), RESPONSE_TOKENS, fields);
  }

  /** Sends a request on a connection of its own, and reads nothing. */
  private Socket send(String body, String headers) throws IOException {
    return send(CHATS, body, headers);
  }

  private Socket send(String path, String body, String headers) throws IOException {
    return send(pool.gatewayPort(), path, body, headers);
  }

  private static Socket send(int port, String path, String body, String headers)
      throws IOException {
    Socket socket = new Socket("127.0.0.1", port);
    String head =
        "POST "
            + path
            + " HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
            + headers
            + "content-length: "
            + body.getBytes(UTF_8).length
            + "\r\n\r\n";
    socket.getOutputStream().write((head + body).getBytes(UTF_8));
    socket.getOutputStream().flush();
    return socket;
  }

  private HttpResponse<String> post(String body, String header, String value) throws Exception {
    return http.send(request(body, header, value), BodyHandlers.ofString());
  }

  private HttpRequest request(String body, String header, String value) {
    return request(pool.gatewayPort(), body, header, value);
  }

  private static HttpRequest request(int port, String body, String header, String value) {
    return request(port, CHATS, body, header, value);
  }

  private HttpRequest retry(String path, String body) {
    return retry(pool.gatewayPort(), path, body);
  }

  private static HttpRequest retry(int port, String path, String body) {
    return request(port, path, body, "x-stainless-retry-count", "1");
  }

  private static HttpRequest request(
      int port, String path, String body, String header, String value) {
    return HttpRequest.newBuilder(uri(port, path))
        .header("content-type", "application/json")
        .header(header, value)
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  private HttpResponse<String> get(String path) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(uri(pool.gatewayPort(), path)).build();
    return http.send(request, BodyHandlers.ofString());
  }

  private static URI uri(int port, String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  private void awaitRunning(int requests) {
    await()
        .atMost(BOUND)
        .untilAsserted(() -> assertThat(worker("sluice_worker_running")).isEqualTo(requests));
  }

  private void awaitWaiting(int requests) {
    await()
        .atMost(BOUND)
        .untilAsserted(
            () ->
                assertThat(new ServiceMetrics(pool.routerPort()).sum("sluice_router_pending"))
                    .hasValue(requests));
  }

  private double tokens() throws InterruptedException {
    return worker("sluice_worker_tokens_total");
  }

  private void awaitEngine(String meter, double value) {
    await().atMost(BOUND).untilAsserted(() -> assertThat(engine(meter)).isEqualTo(value));
  }

  private double engine(String meter) throws Exception {
    HttpRequest page = HttpRequest.newBuilder(engine.uri().resolve("/metrics")).build();
    return new MetricsPage(http.send(page, BodyHandlers.ofString()).body()).sum(meter);
  }

  private double worker(String meter) throws InterruptedException {
    return new ServiceMetrics(pool.workers().getFirst().httpPort()).sum(meter).orElseThrow();
  }
}
