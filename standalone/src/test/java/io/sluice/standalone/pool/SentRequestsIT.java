package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.deadletter.DeadLetterListCommand;
import io.sluice.cli.deadletter.DeadLetterRedriveCommand;
import io.sluice.cli.deadletter.DeadLetterShowCommand;
import io.sluice.cli.operations.BreakerCommand;
import io.sluice.cli.request.AttachCommand;
import io.sluice.cli.request.CancelCommand;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.Priority;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.InferenceRequest.Message;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.AttachOptions;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.producer.reply.RequestFailedException;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import picocli.CommandLine;

/** Operations on requests that were sent: attach, cancel, inspect dead letters, redrive. */
@ExtendWith(SharedBackends.class)
@TestInstance(Lifecycle.PER_CLASS)
class SentRequestsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * The pool's catalog contains the model but no worker serves it: its requests wait until their
   * deadlines.
   */
  private static final String AWAITED_MODEL = "awaited";

  private SimulatedEngine engine;
  private FaultyProxy network;
  private LocalPool pool;
  private SluiceClient client;
  private String redisUri;

  private record Ran(int code, String out, String err) {}

  @BeforeAll
  void start(Backends backends) throws Exception {
    redisUri = backends.redisUri();
    engine =
        SimulatedEngine.start(
            SimulatorConfig.of(GpuProfile.RTX4090).withModels(List.of(PoolPlan.MODEL)));
    network = new FaultyProxy(engine.uri());
    pool =
        LocalPool.start(
            PoolPlanBuilder.builder()
                .ports(Ports.free())
                .access(Map.of())
                .gatewayVariables(Map.of())
                .exposure(Exposure.NONE)
                .partitions(PoolPlan.LOCAL_PARTITIONS)
                .models(PoolPlan.MODEL + "=16384," + AWAITED_MODEL + "=16384")
                .fallbacks("")
                .workers(
                    List.of(
                        new WorkerPlan("only", Optional.empty(), Pools.warm(network.uri()), 16)))
                .kafka(Optional.of(backends.kafkaBootstrapServers()))
                .redis(Optional.of(backends.redisUri()))
                .build());
    client = SluiceClient.connect(ClientConfig.at(pool.kafka()));
  }

  @AfterAll
  void stop() throws Exception {
    client.close();
    pool.close();
    network.close();
    engine.close();
  }

  @Test
  void twoReadersOfOtherClientsReadWhatTheSenderReads() throws Exception {
    // Given
    ReplyStream sent = client.submit(ask("tell me of the sea", 200).build());
    assertThat(sent.next(PATIENCE)).isPresent();

    try (SluiceClient elsewhere = SluiceClient.connect(ClientConfig.at(pool.kafka()))) {
      // When
      ReplyStream first = elsewhere.attach(sent.requestId(), AttachOptions.standard());
      ReplyStream second = elsewhere.attach(sent.requestId(), AttachOptions.standard().from(50));

      // Then
      Answer answer = sent.answer().get(30, TimeUnit.SECONDS);
      assertThat(textOf(first)).isEqualTo(answer.text());
      assertThat(answer.text()).endsWith(textOf(second));
      assertThat(second.answer().get().usage().completionTokens()).isEqualTo(200);
    }
  }

  @Test
  void anAnswerIsReadAgainAfterItsEnd() throws Exception {
    // Given
    ReplyStream sent = client.submit(ask("once more", 60).build());
    String text = sent.answer().get(30, TimeUnit.SECONDS).text();

    // When
    Ran whole = run(new AttachCommand(), sent.requestId());
    Ran end = run(new AttachCommand(), sent.requestId(), "--from", "55");
    Ran json = run(new AttachCommand(), sent.requestId(), "--json");

    // Then
    assertThat(whole.code()).isZero();
    assertThat(whole.out()).isEqualToIgnoringNewLines(text);
    assertThat(text).endsWith(end.out().strip());
    assertThat(end.out().length()).isLessThan(text.length() / 2).isPositive();
    assertThat(Json.mapper().readTree(json.out()).at("/choices/0/message/content").asText())
        .isEqualTo(text);
  }

  @Test
  void anAnswerThatWasNotStreamedIsReadToo() throws Exception {
    // Given
    ReplyStream sent = client.submit(ask("all at once", 30).with("stream", false).build());
    String text = sent.answer().get(30, TimeUnit.SECONDS).text();

    // Then
    assertThat(run(new AttachCommand(), sent.requestId()).out()).isEqualToIgnoringNewLines(text);
  }

  @Test
  void anIdOfTheCallersOwnIsFoundFromTheBeginningOfItsPartition() throws Exception {
    // Given
    String id = "order-" + UUID.randomUUID();
    ReplyStream sent = client.submit(ask("mine", 20).requestId(id).build());
    String text = sent.answer().get(30, TimeUnit.SECONDS).text();
    String home = Integer.toString(partitionOfReplies(sent));

    // Then
    assertThat(run(new AttachCommand(), id, "--reply-partition", home).out())
        .isEqualToIgnoringNewLines(text);
    assertThat(run(new AttachCommand(), id, "--reply-partition", home, "--since", "1h").out())
        .isEqualToIgnoringNewLines(text);
  }

  @Test
  void anUnknownIdIsSaidToBeUnknown() {
    Ran ran = run(new AttachCommand(), "no-such-request", "--wait", "1s");

    assertThat(ran.code()).isEqualTo(1);
    assertThat(ran.err()).contains("request_not_found: no reply to request no-such-request");
    assertThat(run(new AttachCommand(), "x", "--reply-to", "sluice.replies.none").err())
        .contains("reply topic 'sluice.replies.none' does not exist");
  }

  @Test
  void aRunningRequestIsCancelledByItsIdAlone() throws Exception {
    // Given
    ReplyStream sent =
        client.submit(ask("for ever", 3_000).conversationId("talk-" + UUID.randomUUID()).build());
    assertThat(sent.next(PATIENCE)).isPresent();

    // When
    Ran ran = run(new CancelCommand(), sent.requestId());

    // Then
    assertThat(ran.code()).isZero();
    assertThat(ran.out()).isEqualToIgnoringNewLines(sent.requestId() + " is cancelled");
    assertThat(failure(sent).kind()).isEqualTo(ErrorKind.CANCELLED);
    Ran attached = run(new AttachCommand(), sent.requestId());
    assertThat(attached.code()).isEqualTo(1);
    assertThat(attached.err()).contains("cancelled: the request was cancelled");
  }

  @Test
  void aWaitingRequestIsCancelledByItsIdAlone() throws Exception {
    // Given
    ReplyStream sent =
        client.submit(ask("nobody serves me", 10).with("model", AWAITED_MODEL).build());

    // When
    Ran ran = run(new CancelCommand(), sent.requestId(), "--json");

    // Then
    assertThat(ran.code()).isZero();
    assertThat(Json.mapper().readTree(ran.out()).path("result").asText()).isEqualTo("cancelled");
    assertThat(failure(sent).kind()).isEqualTo(ErrorKind.CANCELLED);
  }

  @Test
  void aBulkRequestThatCannotEnterForHoursIsCancelledAtOnce() throws Exception {
    // Given
    ReplyStream sent =
        client.submit(
            ask("nobody serves me", 10)
                .with("model", AWAITED_MODEL)
                .priority(Priority.BULK)
                .timeout(Duration.ofHours(10))
                .build());

    // When
    Ran ran = run(new CancelCommand(), sent.requestId(), "--wait", "20s", "--json");

    // Then
    assertThat(ran.code()).isZero();
    assertThat(Json.mapper().readTree(ran.out()).path("result").asText()).isEqualTo("cancelled");
    assertThat(failure(sent).kind()).isEqualTo(ErrorKind.CANCELLED);
  }

  @Test
  void aBulkRequestThatCannotEnterForHoursIsExtendedAtOnce() throws Exception {
    // Given
    ReplyStream sent =
        client.submit(
            ask("nobody serves me", 10)
                .with("model", AWAITED_MODEL)
                .priority(Priority.BULK)
                .timeout(Duration.ofHours(10))
                .build());

    // When
    client.extend(sent.requestId(), Instant.now().plusSeconds(1)).get();

    // Then
    assertThat(failure(sent).kind()).isEqualTo(ErrorKind.DEADLINE_EXCEEDED);
  }

  @Test
  void aCancelAfterTheEndSaysSoAndOneBeforeTheBeginningIsKept() throws Exception {
    // Given
    ReplyStream sent = client.submit(ask("short", 5).build());
    sent.answer().get(30, TimeUnit.SECONDS);
    String early = "early-" + UUID.randomUUID();

    // When
    Ran after = run(new CancelCommand(), sent.requestId());
    Ran before = run(new CancelCommand(), early, "--wait", "1s");
    ReplyStream cancelled = client.submit(ask("never begun", 10).requestId(early).build());

    // Then
    assertThat(after.code()).isZero();
    assertThat(after.out()).contains("had already been answered");
    assertThat(before.code()).isEqualTo(1);
    assertThat(before.err()).contains("no record of " + early);
    assertThat(failure(cancelled).kind()).isEqualTo(ErrorKind.CANCELLED);
  }

  @Test
  void aWaitingRequestIsExtended() throws Exception {
    // Given
    ReplyStream sent =
        client.submit(
            ask("patience", 10)
                .with("model", AWAITED_MODEL)
                .timeout(Duration.ofSeconds(600))
                .build());

    // When
    client.extend(sent.requestId(), Instant.now().plusSeconds(1)).get();

    // Then
    assertThat(failure(sent).kind()).isEqualTo(ErrorKind.DEADLINE_EXCEEDED);
  }

  @Test
  void aRunningRequestEndsAtItsDeadlineInTheEngineToo() throws Exception {
    // Given
    await().atMost(PATIENCE).until(() -> engineCount("vllm:num_requests_running") == 0);
    double finished = engineCount("vllm:request_success_total");

    // When
    ReplyStream sent =
        client.submit(ask("too much", 3_000).timeout(Duration.ofMillis(1_500)).build());
    assertThat(sent.next(PATIENCE)).isPresent();

    // Then
    assertThat(failure(sent).kind()).isEqualTo(ErrorKind.DEADLINE_EXCEEDED);
    await().until(() -> engineCount("vllm:num_requests_running") == 0);
    assertThat(engineCount("vllm:request_success_total")).isEqualTo(finished);
  }

  @Test
  void whileNoWorkerIsWellRequestsWaitUntilTheirDeadlinesOrUntilOneIs() throws Exception {
    // Given
    assertThat(breaker("open")).isZero();

    // When
    ReplyStream shortLived = client.submit(ask("now", 5).timeout(Duration.ofSeconds(3)).build());
    ReplyStream patient = client.submit(ask("some time", 5).build());
    ReplyEvent.Failed late = failure(shortLived);
    Ran attached = run(new AttachCommand(), patient.requestId(), "--wait", "1s");
    assertThat(breaker("auto")).isZero();

    // Then
    assertThat(late.kind()).isEqualTo(ErrorKind.DEADLINE_EXCEEDED);
    assertThat(late.message()).contains("no worker could take the request before its deadline");
    assertThat(attached.err()).contains("no reply to request");
    Answer answer = patient.answer().get(30, TimeUnit.SECONDS);
    assertThat(answer.usage().completionTokens()).isEqualTo(5);
  }

  @Test
  void aReaderThatLeavesEndsTheRequestThatAskedForItAndNoOther() throws Exception {
    // Given
    ReplyStream bound = client.submit(ask("bound", 3_000).cancelOnClose().build());
    ReplyStream free = client.submit(ask("free", 100).build());
    assertThat(bound.next(PATIENCE)).isPresent();
    assertThat(free.next(PATIENCE)).isPresent();

    // When
    bound.close();
    free.close();

    // Then
    assertThat(failure(bound).kind()).isEqualTo(ErrorKind.CANCELLED);
    ReplyStream again = client.attach(free.requestId(), AttachOptions.standard());
    assertThat(again.answer().get(30, TimeUnit.SECONDS).usage().completionTokens()).isEqualTo(100);
  }

  @Test
  void aDeadLetterIsListedShownAndRedrivenOnce() throws Exception {
    // Given
    String tenant = "tenant-" + UUID.randomUUID();
    InferenceRequest request =
        ask("a secret question", 40)
            .tenant(tenant)
            .conversationId("talk")
            .timeout(Duration.ofSeconds(3))
            .build();
    network.set(FaultyProxy.Fault.STALL);
    ReplyStream sent = client.submit(request);
    assertThat(failure(sent).kind()).isIn(ErrorKind.DEADLINE_EXCEEDED, ErrorKind.ENGINE_ERROR);
    network.set(FaultyProxy.Fault.NONE);

    // When
    Ran listed = run(new DeadLetterListCommand(), "--tenant", tenant);
    Ran shown = run(new DeadLetterShowCommand(), sent.requestId());
    Ran whole = run(new DeadLetterShowCommand(), sent.requestId(), "--body", "--text", "--json");

    // Then
    assertThat(listed.out()).contains(sent.requestId(), PoolPlan.MODEL).hasLineCount(2);
    assertThat(shown.out()).contains("tenant: " + tenant, "history", "only");
    assertThat(listed.out() + shown.out()).doesNotContain("secret");
    JsonNode deadLetter = Json.mapper().readTree(whole.out());
    assertThat(deadLetter.path("body").asText()).contains("a secret question");
    assertThat(deadLetter.has("text")).isTrue();
    assertThat(deadLetter.at("/history/attempts").asInt()).isPositive();

    // When
    String[] redrive = {"--tenant", tenant, "--reset-deadline", "1m"};
    Ran dry = run(new DeadLetterRedriveCommand(), "--tenant", tenant, "--dry-run");
    Ran first = run(new DeadLetterRedriveCommand(), redrive);
    Ran second = run(new DeadLetterRedriveCommand(), redrive);

    // Then
    assertThat(dry.out()).contains("would redrive 1");
    assertThat(first.code()).isZero();
    assertThat(first.out()).contains(sent.requestId() + " -> ").contains("redriven 1");
    assertThat(second.out()).isEqualToIgnoringNewLines("redriven 0");
    String newId = first.out().split(" -> ")[1].lines().findFirst().orElseThrow();
    assertThat(dry.out()).contains(newId);
    Answer answer =
        client.attach(newId, AttachOptions.standard()).answer().get(60, TimeUnit.SECONDS);
    assertThat(answer.usage().completionTokens()).isEqualTo(40);
    assertThat(run(new DeadLetterListCommand(), "--tenant", tenant).out()).contains(newId);
    assertThat(run(new DeadLetterRedriveCommand(), sent.requestId()).err())
        .contains("was already redriven, as " + newId);
  }

  @Test
  void aRedrivenRequestThatIsBadStillBecomesADeadLetterOfTheSameLineage() throws Exception {
    // Given
    ReplyStream sent = client.submit(ask("no such model", 5).with("model", "nobody").build());
    assertThat(failure(sent).kind()).isEqualTo(ErrorKind.MODEL_NOT_FOUND);

    // When
    Ran redriven = run(new DeadLetterRedriveCommand(), sent.requestId());
    String second = redriven.out().split(" -> ")[1].lines().findFirst().orElseThrow();

    // Then
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(run(new DeadLetterShowCommand(), second).out())
                    .contains("redrive 1 of " + sent.requestId()));
    assertThat(run(new DeadLetterRedriveCommand(), second).out()).contains(second + " -> ");
    assertThat(run(new DeadLetterShowCommand(), "unknown").err())
        .contains("no dead letter of request unknown");
  }

  /** Returns the sum of the engine's metrics of this name. */
  private double engineCount(String metric) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpRequest page = HttpRequest.newBuilder(engine.uri().resolve("/metrics")).build();
      String text = http.send(page, BodyHandlers.ofString()).body();
      return Pattern.compile("(?m)^" + metric + "(?:\\{.*})? (\\S+)$")
          .matcher(text)
          .results()
          .mapToDouble(line -> Double.parseDouble(line.group(1)))
          .sum();
    }
  }

  private int breaker(String action) {
    return new CommandLine(new BreakerCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .execute(action, "only", "--redis", redisUri, "--reason", "a test");
  }

  private Ran run(Object command, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line =
        new CommandLine(command)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .setParameterExceptionHandler(
                (e, all) -> {
                  e.getCommandLine().getErr().println(e.getMessage());
                  return 2;
                })
            .setExecutionExceptionHandler(
                (e, failed, parsed) -> {
                  failed.getErr().println(e.getMessage());
                  return 1;
                });
    String[] all = new String[arguments.length + 2];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = "--kafka";
    all[arguments.length + 1] = pool.kafka();
    int code = line.execute(all);
    return new Ran(code, out.toString(), err.toString());
  }

  /** Returns the reply partition of this test's client, which is that of its own ids. */
  private int partitionOfReplies(ReplyStream stream) throws Exception {
    String drawn = client.submit(ask("drawn", 1).build()).requestId();
    assertThat(stream.requestId()).isNotEqualTo(drawn);
    return Partitions.of(drawn, PoolPlan.LOCAL_PARTITIONS);
  }

  private static ReplyEvent.Failed failure(ReplyStream stream) throws Exception {
    CompletableFuture<Answer> answer = stream.answer();
    try {
      answer.get(60, TimeUnit.SECONDS);
      throw new AssertionError("the request was answered");
    } catch (ExecutionException e) {
      return ((RequestFailedException) e.getCause()).failure();
    }
  }

  private static String textOf(ReplyStream stream) throws Exception {
    StringBuilder text = new StringBuilder();
    Optional<ReplyEvent> event = stream.next(PATIENCE);
    while (event.isPresent()) {
      if (event.get() instanceof ReplyEvent.Tokens tokens) {
        text.append(tokens.text());
      }
      event = stream.next(PATIENCE);
    }
    return text.toString();
  }

  private static InferenceRequest.Builder ask(String prompt, int maxTokens) {
    return InferenceRequest.chat(PoolPlan.MODEL, List.of(Message.user(prompt)))
        .with("max_tokens", maxTokens)
        .with("ignore_eos", true)
        .with("stream_options", Map.of("include_usage", true));
  }
}
