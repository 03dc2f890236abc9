package io.sluice.bench.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.replay.log.End;
import io.sluice.bench.replay.log.PoolRecording;
import io.sluice.bench.replay.log.RecordedRequest;
import io.sluice.common.protocol.Priority;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.InferenceRequest.Message;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.Answer;
import io.sluice.router.app.RouterConfig;
import io.sluice.standalone.pool.LocalPool;
import io.sluice.standalone.pool.PoolPlan;
import io.sluice.standalone.pool.Ports;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The traffic of a real pool with simulated engines, read and replayed. */
@TestInstance(Lifecycle.PER_CLASS)
class ReplayIT {
  private static final int REQUESTS = 150;
  private static final int BULK_EVERY = 15;
  private static final int SIDE_BY_SIDE = 8;
  private static final int SYSTEM_PROMPTS = 3;
  private static final int ANSWER_TOKENS = 20;

  /** A word of the prompts, which must not be shown. */
  private static final String SECRET = "xylophone";

  @TempDir private Path folder;
  private LocalPool pool;
  private Instant begin;

  @BeforeAll
  void sendTraffic() throws Exception {
    pool = LocalPool.start(PoolPlan.simulated(Ports.free(), 3, Optional.empty()));
    begin = Instant.now();
    List<CompletableFuture<Answer>> answers = new ArrayList<>();
    var places = new Semaphore(SIDE_BY_SIDE);
    try (SluiceClient client = SluiceClient.connect(ClientConfig.at(pool.kafka()))) {
      for (int i = 0; i < REQUESTS; i++) {
        places.acquire();
        CompletableFuture<Answer> answer = client.submit(request(i)).answer();
        answers.add(answer.whenComplete((done, error) -> places.release()));
      }
      answers.forEach(CompletableFuture::join);
    }
    // The last outcomes may be written a moment after their answers.
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(read()).allSatisfy(ReplayIT::assertTold));
  }

  private static void assertTold(RecordedRequest request) {
    assertThat(request.happened().end()).isEqualTo(End.ANSWERED);
    assertThat(request.happened().ttftMillis()).as("%s", request.happened()).isPresent();
  }

  @AfterAll
  void stop() {
    pool.close();
  }

  private static InferenceRequest request(int number) {
    var random = new SplittableRandom(number % SYSTEM_PROMPTS);
    var system = new StringBuilder(SECRET);
    for (int i = 0; i < 500; i++) {
      system.append(' ').append(Integer.toString(random.nextInt(1_000_000), 36));
    }
    return InferenceRequest.chat(
            PoolPlan.MODEL,
            List.of(
                new Message("system", system.toString()),
                Message.user("This is question " + number + ".")))
        .with("max_tokens", ANSWER_TOKENS)
        .with("ignore_eos", true)
        .priority(number % BULK_EVERY == 0 ? Priority.BULK : Priority.INTERACTIVE)
        .build();
  }

  private List<RecordedRequest> read() {
    long from = begin.minusSeconds(1).toEpochMilli();
    var span = new PoolRecording.Span(from, from, Instant.now().toEpochMilli());
    return PoolRecording.read(
            ClientConfig.at(pool.kafka()), RouterConfig.of(Map.of()), span, 10_000)
        .recording()
        .requests();
  }

  @Test
  void everyRequestIsFoundWithWhatHappenedToIt() {
    List<RecordedRequest> requests = read();

    assertThat(requests).hasSize(REQUESTS);
    assertThat(requests)
        .allSatisfy(
            request -> {
              assertThat(request.happened().end()).isEqualTo(End.ANSWERED);
              assertThat(request.outputTokens()).isEqualTo(ANSWER_TOKENS);
              assertThat(request.prefix().blocks()).isGreaterThan(5);
              assertThat(request.happened().worker()).isPresent();
            });
    assertThat(requests.stream().filter(RecordedRequest::parked)).hasSize(REQUESTS / BULK_EVERY);
    assertThat(requests.stream().map(request -> request.prefix().hash(5)).distinct())
        .hasSize(SYSTEM_PROMPTS);
  }

  @Test
  void theModelAnswersTheRecordedRequestsAndOtherSettingsAreComparedWithIt() throws Exception {
    Path json = folder.resolve("replay.json");

    String out = run("--weights=ttft=1,prefix=5", "--seeds=2", "--json=" + json);

    assertThat(out)
        .contains("150 requests, of which 150 have a recorded answer or error.")
        .contains("recorded", "model", "what-if", "TTFT p95", "Error of the model")
        .doesNotContain(SECRET);
    JsonNode root = new ObjectMapper().readTree(json.toFile());
    for (String column : List.of("recorded", "model", "what_if")) {
      JsonNode figures = root.path(column);
      assertThat(figures.path("requests").asInt()).isEqualTo(REQUESTS);
      assertThat(figures.path("ttft_p50").asDouble()).isPositive();
      assertThat(figures.path("prefix_hits").asDouble()).isBetween(0.3, 1.0);
      assertThat(figures.path("refused").asDouble()).isZero();
      assertThat(figures.path("failed").asDouble()).isZero();
    }
    assertThat(root.at("/ttft_error_of_single_requests/requests").asInt())
        .isEqualTo(REQUESTS - REQUESTS / BULK_EVERY);
  }

  @Test
  void anotherPolicyNeedsEqualEngines() throws Exception {
    assertThat(run("--policy=least-requests", "--profile=rtx4090", "--engines=2"))
        .contains("What if: engines as 2 x rtx4090.");
  }

  @Test
  void aTimeWithoutRequestsIsOneClearError() {
    var errors = new StringWriter();

    int exit =
        command(new StringWriter(), errors)
            .execute(arguments("--from=2020-01-01T10:00Z", "--to=2020-01-01T11:00Z"));

    assertThat(exit).isNotZero();
    assertThat(errors.toString()).contains("the lanes have no request of this time");
  }

  private String run(String... more) {
    var out = new StringWriter();
    var errors = new StringWriter();
    List<String> all = new ArrayList<>(List.of("--from=" + begin.minusSeconds(1)));
    all.addAll(List.of(more));
    int exit = command(out, errors).execute(arguments(all.toArray(String[]::new)));
    System.out.println(out);
    assertThat(exit).as("%s", errors).isZero();
    return out.toString();
  }

  private static CommandLine command(StringWriter out, StringWriter errors) {
    return new CommandLine(new ReplayCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(errors))
        .setExecutionExceptionHandler(
            (e, command, result) -> {
              command.getErr().println(e.getMessage());
              return CommandLine.ExitCode.SOFTWARE;
            });
  }

  private String[] arguments(String... own) {
    List<String> all = new ArrayList<>(List.of("--kafka=" + pool.kafka()));
    all.add("--redis=" + pool.redis());
    all.addAll(List.of(own));
    return all.toArray(String[]::new);
  }
}
