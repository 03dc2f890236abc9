package io.sluice.worker.notice;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.worker.testing.ManualTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The answers are those of the clouds' documentation. */
@Timeout(30)
class CloudNoticesTest {
  private static final String AWS_ACTION = "/latest/meta-data/spot/instance-action";
  private static final String AWS_TOKEN = "/latest/api/token";
  private static final String GCP = "/computeMetadata/v1/instance/preempted";
  private static final String AZURE_NAME = "/metadata/instance/compute/name";
  private static final String AZURE_EVENTS = "/metadata/scheduledevents";

  private record Answer(int status, String body) {}

  private final ManualTime time = new ManualTime();
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private HttpServer server;
  private Metadata metadata;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    metadata = new Metadata(URI.create("http://127.0.0.1:" + server.getAddress().getPort()));
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void awsTellsTheTimeOfAnInterruption() throws Exception {
    answers.put(AWS_TOKEN, new Answer(200, "t"));
    var aws = new AwsNotice(metadata, time);
    assertThat(aws.timeLeft()).isEmpty();

    String at = time.instant().plusSeconds(118).toString();
    answers.put(
        AWS_ACTION, new Answer(200, "{\"action\": \"terminate\", \"time\": \"%s\"}".formatted(at)));

    assertThat(aws.timeLeft()).contains(Duration.ofSeconds(118));
    assertThat(requests)
        .containsExactly(
            "PUT " + AWS_TOKEN + " 21600", "GET " + AWS_ACTION + " t", "GET " + AWS_ACTION + " t");
  }

  @Test
  void anAwsTokenThatHasExpiredIsRenewed() throws Exception {
    answers.put(AWS_TOKEN, new Answer(200, "old"));
    answers.put(AWS_ACTION, new Answer(401, ""));
    var aws = new AwsNotice(metadata, time);

    assertThatThrownBy(aws::timeLeft).hasMessageContaining("status 401");

    assertThat(requests).filteredOn(request -> request.startsWith("PUT")).hasSize(2);
  }

  @Test
  void gcpTellsThatAVmWasPreempted() throws Exception {
    answers.put(GCP, new Answer(200, "FALSE"));
    var gcp = new GcpNotice(metadata);
    assertThat(gcp.timeLeft()).isEmpty();

    answers.put(GCP, new Answer(200, "TRUE\n"));

    assertThat(gcp.timeLeft()).contains(Duration.ofSeconds(30));
    assertThat(requests).allMatch(request -> request.endsWith(" Google"));
  }

  @Test
  void azureTellsOnlyEventsThatEndTheVmItself() throws Exception {
    answers.put(AZURE_NAME, new Answer(200, "vm_1"));
    var azure = new AzureNotice(metadata, time);

    azureEvents(event("Freeze", "vm_1", 40), event("Preempt", "vm_2", 30));
    assertThat(azure.timeLeft()).isEmpty();

    azureEvents(event("Reboot", "vm_1", 900), event("Preempt", "vm_1", 30));
    assertThat(azure.timeLeft()).contains(Duration.ofSeconds(30));

    azureEvents("{\"EventType\":\"Preempt\",\"Resources\":[\"vm_1\"],\"NotBefore\":\"\"}");
    assertThat(azure.timeLeft()).contains(Duration.ZERO);
  }

  @Test
  void anAnswerOfSomethingElseIsNotANotice() {
    answers.put(AWS_TOKEN, new Answer(200, "t"));
    answers.put(AWS_ACTION, new Answer(200, "<html>proxy</html>"));
    answers.put(GCP, new Answer(200, "<html>proxy</html>"));
    answers.put(AZURE_NAME, new Answer(200, "vm_1"));
    answers.put(
        AZURE_EVENTS, new Answer(200, "{\"Events\":[{\"EventType\":\"Preempt\",".repeat(2)));

    assertThatThrownBy(() -> new AwsNotice(metadata, time).timeLeft())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has no time");
    assertThatThrownBy(() -> new GcpNotice(metadata).timeLeft()).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> new AzureNotice(metadata, time).timeLeft())
        .isInstanceOf(IOException.class);
  }

  @Test
  void aCloudThatIsAnotherOneIsToldWithItsAddress() {
    server.stop(0);

    assertThatThrownBy(() -> new GcpNotice(metadata).timeLeft())
        .isInstanceOf(IOException.class)
        .hasMessageContaining(GCP)
        .hasMessageContaining("does not answer");
  }

  private void azureEvents(String... events) {
    answers.put(
        AZURE_EVENTS,
        new Answer(
            200,
            "{\"DocumentIncarnation\":1,\"Events\":[%s]}".formatted(String.join(",", events))));
  }

  private String event(String type, String vm, int seconds) {
    String at =
        DateTimeFormatter.RFC_1123_DATE_TIME.format(
            time.instant().plusSeconds(seconds).atOffset(ZoneOffset.UTC));
    return """
        {"EventId":"e","EventStatus":"Scheduled","EventType":"%s","ResourceType":"VirtualMachine",\
        "Resources":["%s"],"NotBefore":"%s","EventSource":"Platform","DurationInSeconds":-1}"""
        .formatted(type, vm, at);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    List<String> headers =
        exchange.getRequestHeaders().entrySet().stream()
            .filter(header -> header.getKey().matches("(?i)x-aws-.*|metadata.*"))
            .flatMap(header -> header.getValue().stream())
            .toList();
    requests.add(exchange.getRequestMethod() + " " + path + " " + String.join(",", headers));
    Answer answer = answers.getOrDefault(path, new Answer(404, ""));
    byte[] body = answer.body().getBytes(UTF_8);
    exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
