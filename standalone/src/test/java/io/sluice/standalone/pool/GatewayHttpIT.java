package io.sluice.standalone.pool;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.handler.codec.http2.Http2Error;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.app.Gateway;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a gateway does with unusual, slow and hostile HTTP clients. */
@ExtendWith(SharedBackends.class)
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(120)
class GatewayHttpIT {
  private static final String CHATS = "/v1/chat/completions";
  private static final String RESPONSES = "/v1/responses";
  private static final String CHAT =
      "{\"model\":\"sluice-8b\",\"max_tokens\":20,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]";
  private static final String LARGE_ANSWER =
      CHAT.replace("20", "100") + ",\"ignore_eos\":true,\"logprobs\":true,\"top_logprobs\":20}";
  private static final int IDLE_CLIENTS = 2_000;
  private static final int SLOW_CLIENTS = 15;

  private final HttpClient http = HttpClient.newBuilder().version(Version.HTTP_1_1).build();
  private LocalPool pool;
  private Gateway gateway;

  @BeforeAll
  void start(Backends backends) throws Exception {
    pool = Pools.start(backends, 3);
    gateway =
        Pools.gateway(
            pool,
            Map.of(
                "receive-timeout-seconds",
                "3",
                "keep-alive-seconds",
                "1",
                "cors-origins",
                "https://example.org"));
  }

  @AfterAll
  void stop() {
    gateway.close();
    pool.close();
  }

  @Test
  void onlyPagesOfTheNamedOriginsMayCall() throws Exception {
    // Then
    String allow = "access-control-allow-origin";
    assertThat(get("https://example.org").headers().firstValue(allow))
        .contains("https://example.org");
    assertThat(get("https://example.com").headers().firstValue(allow)).isEmpty();
    assertThat(get("https://example.com").statusCode()).isEqualTo(403);
    assertThat(get("https://example.com").headers().firstValue("x-request-id")).isPresent();
    HttpResponse<String> preflight = preflight("https://example.org");
    assertThat(preflight.statusCode()).isEqualTo(200);
    assertThat(preflight.headers().firstValue("access-control-allow-methods").orElseThrow())
        .contains("POST");
    assertThat(preflight.headers().firstValue("access-control-allow-headers").orElseThrow())
        .contains("authorization");
    assertThat(preflight("https://example.com").headers().firstValue(allow)).isEmpty();
  }

  /** Browsers send such a request to any origin without asking, and pages have no API key. */
  @Test
  void anUploadOfAWebPageIsRefusedBeforeItArrives() throws Exception {
    try (Socket socket = socket()) {
      // When
      send(
          socket,
          "POST /v1/files HTTP/1.1\r\nhost: localhost\r\norigin: https://example.com\r\n"
              + "content-type: multipart/form-data; boundary=b\r\ncontent-length: 1000\r\n\r\n");

      // Then
      byte[] head = socket.getInputStream().readNBytes("HTTP/1.1 403".length());
      assertThat(new String(head, ISO_8859_1)).isEqualTo("HTTP/1.1 403");
    }
  }

  private HttpResponse<String> preflight(String origin) throws Exception {
    return http.send(
        request(CHATS)
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "authorization,content-type")
            .method("OPTIONS", BodyPublishers.noBody())
            .build(),
        BodyHandlers.ofString());
  }

  private HttpResponse<String> get(String origin) throws Exception {
    return http.send(
        request("/v1/models").header("origin", origin).build(), BodyHandlers.ofString());
  }

  @Test
  void aChatIsStreamedOverHttp2WithoutTls() throws Exception {
    // Given
    HttpClient http2 = HttpClient.newBuilder().version(Version.HTTP_2).build();
    http2.send(request("/health/liveness").build(), BodyHandlers.ofString());

    // When
    HttpResponse<String> response =
        http2.send(chat(CHAT + ",\"stream\":true}"), BodyHandlers.ofString());

    // Then
    assertThat(response.version()).isEqualTo(Version.HTTP_2);
    assertThat(response.body()).startsWith("data: {").endsWith("data: [DONE]\n\n");
  }

  /** It asks to change to HTTP/2, and a server must hold the body of a request that does. */
  @ParameterizedTest
  @ValueSource(ints = {100, 10_000, 1_000_000})
  void theFirstRequestOfJavasClientMayBeLarge(int bytes) throws Exception {
    // When
    HttpResponse<String> response =
        HttpClient.newHttpClient()
            .send(
                chat(CHAT + ",\"unknown\":\"" + "x".repeat(bytes) + "\"}"),
                BodyHandlers.ofString());

    // Then
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    assertThat(response.version()).isEqualTo(bytes < 8_192 ? Version.HTTP_2 : Version.HTTP_1_1);
  }

  @ParameterizedTest
  @EnumSource(Version.class)
  void headersMayBeLong(Version version) throws Exception {
    // Given
    HttpClient client = HttpClient.newBuilder().version(version).build();
    client.send(request("/health/liveness").build(), BodyHandlers.ofString());

    // When
    HttpResponse<String> response =
        client.send(
            request("/v1/models").header("cookie", "x".repeat(20_000)).build(),
            BodyHandlers.ofString());

    // Then
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.version()).isEqualTo(version);
  }

  @Test
  void aBodyThatIsTooLargeIsRefused() throws Exception {
    // When
    HttpResponse<String> response =
        http.send(
            chat(CHAT + ",\"user\":\"" + "x".repeat(9 << 20) + "\"}"), BodyHandlers.ofString());

    // Then
    assertThat(response.statusCode()).isEqualTo(413);
    assertThat(error(response.body()).path("message").asText()).contains("8 MiB");
  }

  /** The heap of the tests is smaller than what would be unpacked. */
  @Test
  void aBodyThatUnpacksToAGibibyteIsRefused() throws Exception {
    // Given
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    byte[] mebibyte = new byte[1 << 20];
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      for (int i = 0; i < 1_024; i++) {
        gzip.write(mebibyte);
      }
    }

    // When
    HttpResponse<String> response = packed(packed.toByteArray());

    // Then
    assertThat(response.statusCode()).isEqualTo(413);
    assertThat(error(response.body()).path("message").asText()).contains("at most 8 MiB");
    assertThat(works()).isTrue();
  }

  @Test
  void aBodyThatIsNotWhatItsEncodingSaysIsRefused() throws Exception {
    HttpResponse<String> response = packed(CHAT.getBytes(UTF_8));

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(error(response.body()).path("message").asText()).contains("content-encoding");
  }

  private HttpResponse<String> packed(byte[] body) throws Exception {
    return http.send(
        request(CHATS)
            .header("content-type", "application/json")
            .header("content-encoding", "gzip")
            .POST(BodyPublishers.ofByteArray(body))
            .build(),
        BodyHandlers.ofString());
  }

  @Test
  void aBodyInChunksThatNeverEndIsRefused() throws Exception {
    try (Socket socket = socket()) {
      // Given
      send(
          socket,
          "POST %s HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
                  .formatted(CHATS)
              + "transfer-encoding: chunked\r\n\r\n");
      String chunk = "8000\r\n" + " ".repeat(0x8000) + "\r\n";

      // When
      Thread endless =
          Thread.startVirtualThread(
              () -> {
                try {
                  while (true) {
                    send(socket, chunk);
                  }
                } catch (IOException e) {
                  // The gateway has closed the connection.
                }
              });

      // Then
      assertThat(new String(socket.getInputStream().readNBytes(12), UTF_8))
          .isEqualTo("HTTP/1.1 413");
      assertThat(endless.join(Duration.ofSeconds(30))).isTrue();
      assertThat(works()).isTrue();
    }
  }

  @Test
  void deepJsonIsRefused() throws Exception {
    String deep = "[".repeat(10_000) + "]".repeat(10_000);

    assertThat(refused(chat(CHAT + ",\"user\":" + deep + "}"))).isNotBlank();
  }

  @Test
  void aBodyThatIsNotUtf8IsRefused() throws Exception {
    HttpRequest request =
        request(CHATS)
            .header("content-type", "application/json")
            .POST(BodyPublishers.ofByteArray((CHAT + ",\"user\":\"\u00ff\"}").getBytes(ISO_8859_1)))
            .build();

    assertThat(refused(request)).isNotBlank();
  }

  @Test
  void aBodyOfAnotherTypeIsRefused() throws Exception {
    HttpResponse<String> response =
        http.send(
            request(CHATS)
                .header("content-type", "text/xml")
                .POST(BodyPublishers.ofString("<chat/>"))
                .build(),
            BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(415);
    assertThat(error(response.body()).path("message").asText()).isNotBlank();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x-sluice-conversation: a\rset-cookie: b=c",
        "x-sluice-conversation: a\u0000b",
        "x-sluice-tier: fast\u007f",
        "x-sluice-fallback-model: m\u00e4h",
        "traceparent: 00-\u0001"
      })
  void aHeaderThatIsNotPrintableIsRefused(String header) throws Exception {
    try (Socket socket = socket()) {
      // When
      send(socket, post(CHAT + "}", header));

      // Then
      String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 400").doesNotContain("set-cookie");
    }
  }

  @Test
  void metadataCannotInjectHeaders() throws Exception {
    String body = CHAT + ",\"metadata\":{\"sluice_conversation\":\"a\\r\\nset-cookie: b\"}}";

    assertThat(refused(chat(body))).contains("sluice_conversation");
  }

  @Test
  void clientsThatLeaveBeforeTheirLargeBodiesTakeNoRoom() throws Exception {
    // Given: more than the heap has room for
    List<Socket> left = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      Socket socket = socket();
      send(
          socket,
          "POST " + CHATS + " HTTP/1.1\r\nhost: localhost\r\ncontent-length: 8000000\r\n\r\n");
      left.add(socket);
    }
    for (Socket socket : left) {
      socket.close();
    }

    // When
    String large = CHAT + ",\"unknown\":\"%s\"}".formatted("x".repeat(7_000_000));

    // Then
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> http.send(chat(large), BodyHandlers.ofString()).statusCode() == 200);
  }

  @Test
  void aBodyThatArrivesTooSlowlyEndsItsConnection() throws Exception {
    try (Socket socket = socket()) {
      // Given
      send(
          socket, "POST " + CHATS + " HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n");
      Thread dripping =
          Thread.startVirtualThread(
              () -> {
                try {
                  while (true) {
                    send(socket, " ");
                    Thread.sleep(Duration.ofSeconds(1));
                  }
                } catch (IOException | InterruptedException e) {
                  // The gateway has closed the connection.
                }
              });

      // Then
      assertThat(isClosed(socket)).isTrue();
      dripping.interrupt();
    }
  }

  @Test
  void aBodyThatArrivesTooSlowlyOverHttp2EndsItsStreamAndNoOther() throws Exception {
    try (Http2Client client = new Http2Client(gateway.port())) {
      // Given
      var slow = client.begin(CHATS, Map.of());
      Thread dripping =
          Thread.startVirtualThread(
              () -> {
                try {
                  while (!slow.body().isDone()) {
                    slow.send(" ", false);
                    Thread.sleep(Duration.ofSeconds(1));
                  }
                } catch (InterruptedException e) {
                  // The test is over.
                }
              });

      // Then
      assertThatThrownBy(() -> slow.body().get(30, TimeUnit.SECONDS))
          .hasMessageContaining("reset with code " + Http2Error.CANCEL.code());
      dripping.interrupt();
      var next = client.post(CHATS, CHAT + "}");
      assertThat(next.status().get(30, TimeUnit.SECONDS)).isEqualTo(200);
      assertThat(next.body().get(30, TimeUnit.SECONDS)).contains("\"finish_reason\"");
    }
  }

  @Test
  void aConnectionWithoutARequestIsClosed() throws Exception {
    try (Socket silent = socket();
        Socket http2 = socket()) {
      send(http2, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0");

      assertThat(isClosed(silent)).isTrue();
      assertThat(isClosed(http2)).isTrue();
    }
  }

  /** Reads to the end of a connection that the other side closes. */
  private static boolean isClosed(Socket socket) {
    try {
      socket.setSoTimeout(30_000);
      while (socket.getInputStream().read() >= 0) {
        // What it still sends.
      }
      return true;
    } catch (java.net.SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  @Test
  void clientsThatHardlyReadDelayNoOtherAndHoldNeitherEnginesNorMemory() throws Exception {
    // Given
    String body =
        CHAT.replace("20", "1000")
            + ",\"n\":4,\"ignore_eos\":true,\"stream\":true,\"logprobs\":true,\"top_logprobs\":20}";
    int bytes = http.send(chat(body), BodyHandlers.ofByteArray()).body().length;
    assertThat(bytes).as("more than the connection itself holds").isGreaterThan(5 << 20);
    List<Socket> sockets = new ArrayList<>();
    long before = usedHeap();
    try {
      // When
      for (int i = 0; i < SLOW_CLIENTS; i++) {
        Socket slow = slowSocket();
        sockets.add(slow);
        send(slow, post(body, "a: b"));
      }

      // Then
      readEach(sockets, 'H');
      for (int i = 0; i < 20; i++) {
        assertThat(works()).isTrue();
      }
      await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(running()).isZero());
      await()
          .untilAsserted(
              () -> assertThat(usedHeap() - before).isLessThan((long) SLOW_CLIENTS * bytes / 2));
      readEach(sockets, 'T');
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Version.class)
  void aLargeAnswerComesWhole(Version version) throws Exception {
    // When
    HttpResponse<byte[]> response =
        HttpClient.newBuilder()
            .version(version)
            .build()
            .send(chat(LARGE_ANSWER), BodyHandlers.ofByteArray());

    // Then
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("content-type")).contains("application/json");
    assertThat(response.headers().firstValueAsLong("content-length"))
        .hasValue(response.body().length);
    assertThat(response.body().length).isGreaterThan(100_000);
    assertThat(Json.tree(response.body()).at("/choices/0/logprobs/content")).hasSize(100);
  }

  @Test
  void unreadWholeAnswersAreBounded() throws Exception {
    // Given responses that repeat what was sent, and room for some of them
    String body =
        "{\"model\":\"sluice-8b\",\"input\":\"Hi\",\"max_output_tokens\":1,\"store\":false,\"metadata\":{\"a\":\"%s\"}}"
            .formatted("x".repeat(4_000_000));
    int most = Math.toIntExact(Runtime.getRuntime().maxMemory() / 10 / body.length());
    List<Socket> sockets = new ArrayList<>();
    try {
      // When
      for (int i = 0; i < most; i++) {
        sockets.add(slowSocket());
        assertThat(statusOf(RESPONSES, body, sockets.getLast())).isEqualTo("HTTP/1.1 200");
      }

      // Then
      sockets.add(slowSocket());
      assertThat(statusOf(RESPONSES, body, sockets.getLast())).isEqualTo("HTTP/1.1 429");
      assertThat(works()).isTrue();
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              try (Socket socket = slowSocket()) {
                return statusOf(RESPONSES, body, socket).endsWith("200");
              }
            });
  }

  private static String statusOf(String path, String body, Socket socket) throws IOException {
    send(socket, post(path, body, "a: b"));
    return new String(socket.getInputStream().readNBytes("HTTP/1.1 200".length()), ISO_8859_1);
  }

  private Socket slowSocket() throws IOException {
    Socket slow = new Socket();
    slow.setReceiveBufferSize(1_024);
    slow.connect(new InetSocketAddress("127.0.0.1", gateway.port()));
    slow.setSoTimeout(60_000);
    return slow;
  }

  @Test
  void bodiesOfManySmallValuesAreServedOneAfterTheOther() throws Exception {
    // Given trees of which a gateway has not room for all
    String values = "{\"\":0},".repeat(200_000) + "0";
    String body = CHAT + ",\"unknown\":[" + values + "]}";

    // When
    List<CompletableFuture<HttpResponse<String>>> responses =
        IntStream.range(0, 8)
            .mapToObj(_ -> http.sendAsync(chat(body), BodyHandlers.ofString()))
            .toList();

    // Then
    for (CompletableFuture<HttpResponse<String>> response : responses) {
      assertThat(response.get(1, TimeUnit.MINUTES).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aResponseIsNotMadeToRepeatManyValues() throws Exception {
    // When
    String message =
        refused(
            request(RESPONSES)
                .header("content-type", "application/json")
                .POST(
                    BodyPublishers.ofString(
                        "{\"model\":\"sluice-8b\",\"input\":\"Hi\",\"metadata\":{\"a\":["
                            + "0,".repeat(60_000)
                            + "0]}}"))
                .build());

    // Then
    assertThat(message).contains("at most 50000 values");
  }

  private static void readEach(List<Socket> sockets, char expected) throws IOException {
    for (Socket socket : sockets) {
      assertThat(socket.getInputStream().read()).isEqualTo(expected);
    }
  }

  private double running() throws InterruptedException {
    double running = 0;
    for (var worker : pool.workers()) {
      running += new ServiceMetrics(worker.httpPort()).sum("sluice_worker_running").orElseThrow();
    }
    return running;
  }

  @Test
  void aSilentStreamHasComments() throws Exception {
    // Given
    CreatedResponse waiting = Unsent.response(Instant.now().plusSeconds(3_600), 3_600);
    Unsent.store(waiting, pool);

    // When
    HttpResponse<InputStream> response =
        http.send(
            request("/v1/responses/" + waiting.id() + "?stream=true").build(),
            BodyHandlers.ofInputStream());

    // Then
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(response.body(), UTF_8))) {
      assertThat(lines.lines().filter(line -> line.startsWith(":")).findFirst())
          .contains(": keep-alive");
    }
  }

  @Test
  void logProbabilitiesComeThrough() throws Exception {
    // When
    HttpResponse<String> response =
        http.send(chat(CHAT + ",\"logprobs\":true,\"top_logprobs\":2}"), BodyHandlers.ofString());

    // Then
    JsonNode first = Json.mapper().readTree(response.body()).at("/choices/0/logprobs/content/0");
    assertThat(first.path("logprob").isNumber()).isTrue();
    assertThat(first.path("top_logprobs")).hasSize(2);
  }

  @Test
  void theStreamsOfAGatewayThatStopsEndWithAnError() throws Exception {
    // Given
    Gateway stopping = Pools.gateway(pool, Map.of("drain-grace-millis", "0"));
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + stopping.port() + CHATS))
            .header("content-type", "application/json")
            .POST(
                BodyPublishers.ofString(
                    CHAT.replace("20", "4000") + ",\"ignore_eos\":true,\"stream\":true}"))
            .build();
    HttpResponse<InputStream> response = http.send(request, BodyHandlers.ofInputStream());
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(response.body(), UTF_8))) {
      assertThat(lines.readLine()).startsWith("data: {");

      // When
      Thread closing = Thread.startVirtualThread(stopping::close);

      // Then
      String last = lines.lines().filter(line -> !line.isEmpty()).reduce("", (a, b) -> b);
      assertThat(last).startsWith("data: {\"error\"").contains("this gateway stopped");
      closing.join();
    }
  }

  @Test
  @Tag("slow")
  @Timeout(300)
  void thousandsOfIdleStreamsNeedLittleMemory() throws Exception {
    // Given
    CreatedResponse waiting = Unsent.response(Instant.now().plusSeconds(3_600), 3_600);
    Unsent.store(waiting, pool);
    String head =
        "GET /v1/responses/" + waiting.id() + "?stream=true HTTP/1.1\r\nhost: localhost\r\n\r\n";
    List<Socket> sockets = new ArrayList<>();
    long before = usedHeap();

    // When
    try {
      for (int i = 0; i < IDLE_CLIENTS; i++) {
        Socket socket = socket();
        sockets.add(socket);
        send(socket, head);
      }
      for (Socket socket : sockets) {
        awaitComment(socket);
      }

      // Then
      assertThat(usedHeap() - before).isLessThan(IDLE_CLIENTS * 100L * 1_024);
      assertThat(works()).isTrue();
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private static void awaitComment(Socket socket) throws IOException {
    socket.setSoTimeout(120_000);
    int last = 0;
    while (last != '\n' || (last = socket.getInputStream().read()) != ':') {
      last = socket.getInputStream().read();
      assertThat(last).isNotNegative();
    }
  }

  private static long usedHeap() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  private boolean works() throws Exception {
    return http.send(chat(CHAT + "}"), BodyHandlers.ofString()).statusCode() == 200;
  }

  private String refused(HttpRequest request) throws Exception {
    HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
    return error(response.body()).path("message").asText();
  }

  private static JsonNode error(String body) throws IOException {
    return Json.mapper().readTree(body).path("error");
  }

  private Socket socket() throws IOException {
    return new Socket("127.0.0.1", gateway.port());
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(ISO_8859_1));
    socket.getOutputStream().flush();
  }

  private static String post(String body, String header) {
    return post(CHATS, body, header);
  }

  private static String post(String path, String body, String header) {
    return "POST %s HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: %d\r\n%s\r\n\r\n%s"
        .formatted(path, body.length(), header, body);
  }

  private HttpRequest chat(String body) {
    return request(CHATS)
        .header("content-type", "application/json")
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + path))
        .timeout(Duration.ofMinutes(1));
  }
}
