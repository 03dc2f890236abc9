package io.sluice.worker.watchdog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.sluice.common.protocol.Json;
import io.sluice.worker.testing.SelfSigned;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** At an HTTPS server that answers as an API server of Kubernetes does. */
@Timeout(60)
@Tag("slow")
class PodEvictionTest {
  private static final String PATH = "/api/v1/namespaces/sluice/pods/worker-0/eviction";
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final String CREATED = "{\"kind\":\"Status\",\"status\":\"Success\",\"code\":201}";
  private static final String BUDGET =
      "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"TooManyRequests\",\"code\":429,"
          + "\"message\":\"Cannot evict pod as it would violate the pod's disruption budget.\"}";

  private record Answer(int status, String body) {}

  private record Asked(String method, String uri, String token, String body) {}

  @TempDir private static Path shared;
  private static SelfSigned certificate;

  @TempDir private Path folder;
  private final List<Asked> asked = new CopyOnWriteArrayList<>();
  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
  private final CountDownLatch isOver = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private HttpsServer server;

  @BeforeAll
  static void makeCertificate() throws Exception {
    certificate = SelfSigned.in(shared);
  }

  @BeforeEach
  void start() throws Exception {
    Files.writeString(folder.resolve("token"), "first\n");
    Files.writeString(folder.resolve("namespace"), "sluice");
    Files.copy(certificate.pem(), folder.resolve("ca.crt"));
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(certificate.tls()));
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    isOver.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  /** Without an answer it hangs. */
  private void answer(HttpExchange exchange) throws IOException {
    asked.add(
        new Asked(
            exchange.getRequestMethod(),
            exchange.getRequestURI().toString(),
            exchange.getRequestHeaders().getFirst("authorization"),
            new String(exchange.getRequestBody().readAllBytes(), UTF_8)));
    Answer answer = answers.poll();
    if (answer == null) {
      awaitEnd();
      return;
    }
    byte[] body = answer.body().getBytes(UTF_8);
    exchange.sendResponseHeaders(answer.status(), body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private void awaitEnd() {
    try {
      isOver.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void thePodIsEvictedWithItsToken() throws Exception {
    answers.add(new Answer(201, CREATED));

    eviction(LIMIT).restart("slow-tokens");

    assertThat(asked).hasSize(1);
    assertThat(asked.getFirst().method()).isEqualTo("POST");
    assertThat(asked.getFirst().uri()).isEqualTo(PATH);
    assertThat(asked.getFirst().token()).isEqualTo("Bearer first");
    assertThat(Json.tree(asked.getFirst().body().getBytes(UTF_8)))
        .isEqualTo(
            Json.known(
                "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\","
                    + "\"metadata\":{\"name\":\"worker-0\",\"namespace\":\"sluice\"}}"));
  }

  @Test
  void aTokenThatWasReplacedIsReadAgain() throws Exception {
    PodEviction eviction = eviction(LIMIT);
    answers.add(new Answer(201, CREATED));
    eviction.restart("planned");
    Files.writeString(folder.resolve("token"), "second");
    answers.add(new Answer(201, CREATED));

    eviction.restart("planned");

    assertThat(asked).extracting(Asked::token).containsExactly("Bearer first", "Bearer second");
  }

  @Test
  void aBudgetThatRefusesIsAskedAgain() throws Exception {
    answers.add(new Answer(429, BUDGET));
    answers.add(new Answer(429, BUDGET));
    answers.add(new Answer(201, CREATED));

    eviction(LIMIT).restart("planned");

    assertThat(asked).hasSize(3);
  }

  @Test
  void aBudgetThatRefusesWhenTheTimeIsUpIsAFailure() {
    answers.add(new Answer(429, BUDGET));

    assertThatThrownBy(() -> eviction(LIMIT, LIMIT).restart("planned"))
        .isInstanceOf(RestartFailedException.class)
        .hasMessage(
            "the eviction of pod worker-0, which may take 20000 ms, was refused: Cannot evict pod"
                + " as it would violate the pod's disruption budget.");
    assertThat(asked).hasSize(1);
  }

  @Test
  void aServerThatNoLongerAnswersAfterARefusalIsAFailureWithBothReasons() {
    answers.add(new Answer(429, BUDGET));

    assertThatThrownBy(() -> eviction(Duration.ofSeconds(5)).restart("planned"))
        .isInstanceOf(RestartFailedException.class)
        .hasMessageContaining(
            "disruption budget.; then " + api() + PATH + " did not answer within");
  }

  @Test
  void aDryRunTellsWhetherTheBudgetLetsItThrough() throws Exception {
    answers.add(new Answer(429, BUDGET));
    answers.add(new Answer(201, CREATED));
    answers.add(new Answer(403, "{}"));

    assertThat(eviction(LIMIT).isAllowed()).isFalse();
    assertThat(eviction(LIMIT).isAllowed()).isTrue();
    assertThat(eviction(LIMIT).isAllowed()).isTrue();

    assertThat(asked).extracting(Asked::uri).containsOnly(PATH + "?dryRun=All");
  }

  @Test
  void aMissingRoleIsTold() {
    answers.add(
        new Answer(
            403,
            "{\"kind\":\"Status\",\"status\":\"Failure\",\"code\":403,\"message\":\"pods"
                + " \\\"worker-0\\\" is forbidden\"}"));

    assertThatThrownBy(() -> eviction(LIMIT).restart("planned"))
        .hasMessage(
            "pod worker-0 was not evicted: the pod's service account needs a role that may create"
                + " pods/eviction, such as that of k8s/components/restart: pods \"worker-0\" is"
                + " forbidden");
  }

  @Test
  void aPodThatDoesNotExistIsTold() {
    answers.add(new Answer(404, "{\"message\":\"pods \\\"worker-0\\\" not found\"}"));

    assertThatThrownBy(() -> eviction(LIMIT).restart("planned"))
        .hasMessage(
            "pod worker-0 was not evicted: there is no such pod; the worker's id must be the name"
                + " of its pod: pods \"worker-0\" not found");
  }

  @Test
  void anAnswerThatIsNotAStatusIsTold() {
    answers.add(new Answer(502, "<html>"));

    assertThatThrownBy(() -> eviction(LIMIT).restart("planned"))
        .hasMessage("pod worker-0 was not evicted: status 502: no reason given");
  }

  @Test
  void aServerThatDoesNotAnswerIsGivenUp() {
    assertThatThrownBy(() -> eviction(Duration.ofSeconds(1)).restart("planned"))
        .isInstanceOf(RestartFailedException.class)
        .hasMessage(api() + PATH + " did not answer within 1000 ms");
  }

  @Test
  void aServerWithAnotherCertificateIsNotTrusted(@TempDir Path other) throws Exception {
    SelfSigned another = SelfSigned.in(other);
    Files.writeString(folder.resolve("ca.crt"), Files.readString(another.pem()));

    assertThatThrownBy(() -> eviction(LIMIT).restart("planned"))
        .isInstanceOf(RestartFailedException.class)
        .hasMessageStartingWith(
            api() + PATH + " does not answer: javax.net.ssl.SSLHandshakeException");
    assertThat(asked).isEmpty();
  }

  @Test
  void anAccountThatIsGoneIsTold() throws Exception {
    Files.delete(folder.resolve("token"));

    assertThatThrownBy(() -> eviction(LIMIT).restart("planned"))
        .isInstanceOf(RestartFailedException.class)
        .hasMessageStartingWith("the pod's service account cannot be read");
  }

  @Test
  void aPodFindsItsApiServer() {
    assertThat(inCluster(Map.of("KUBERNETES_SERVICE_HOST", "10.96.0.1")).api())
        .isEqualTo(URI.create("https://10.96.0.1:443"));
    assertThat(
            inCluster(
                    Map.of("KUBERNETES_SERVICE_HOST", "fd00::1", "KUBERNETES_SERVICE_PORT", "6443"))
                .api())
        .isEqualTo(URI.create("https://[fd00::1]:6443"));
  }

  @Test
  void outsideOfAClusterThereIsOneClearError() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> inCluster(Map.of()))
        .withMessage(
            "--restart-pod works in a Kubernetes pod only: KUBERNETES_SERVICE_HOST is not set");
  }

  @Test
  void aPodWithoutATokenIsToldToMountOne() throws Exception {
    Files.delete(folder.resolve("token"));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> inCluster(Map.of("KUBERNETES_SERVICE_HOST", "10.96.0.1")))
        .withMessage(
            "--restart-pod needs the token of a service account, as k8s/components/restart mounts"
                + " it: there is no file %s",
            folder.resolve("token"));
  }

  private URI api() {
    return URI.create("https://127.0.0.1:" + server.getAddress().getPort());
  }

  private PodEviction eviction(Duration atMost) {
    return eviction(atMost, Duration.ofMillis(50));
  }

  private PodEviction eviction(Duration atMost, Duration pause) {
    return new PodEviction(api(), new ServiceAccount(folder), "worker-0", atMost, pause);
  }

  private PodEviction inCluster(Map<String, String> environment) {
    return PodEviction.inCluster(environment, new ServiceAccount(folder), "worker-0", LIMIT);
  }
}
