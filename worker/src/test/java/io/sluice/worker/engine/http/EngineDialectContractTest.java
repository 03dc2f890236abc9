package io.sluice.worker.engine.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Outcome;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.engine.dialect.EngineDialects;
import io.sluice.worker.health.EngineCount;
import io.sluice.worker.health.EngineMonitor;
import io.sluice.worker.health.EngineState;
import io.sluice.worker.reply.PartialReply;
import io.sluice.worker.testing.Surroundings;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The engine contract, held by every dialect over a fake engine that speaks it. */
@Timeout(20)
@Tag("slow")
class EngineDialectContractTest {
  private static final String CHAT =
      "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"stream\":true}";
  private static final String COMPLETION =
      "{\"model\":\"m\",\"prompt\":\"Tell me: \",\"max_tokens\":9,\"stream\":true}";

  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open.reversed()) {
      one.close();
    }
  }

  static List<SpokenDialect> spoken() {
    return SpokenDialect.ALL;
  }

  @Test
  void everyDialectIsSpoken() {
    assertThat(spoken()).extracting(SpokenDialect::dialect).containsAll(EngineDialects.all());
  }

  @ParameterizedTest
  @MethodSource("spoken")
  void theEngineIsIdentified(SpokenDialect spoken) throws Exception {
    EngineState state = pool(spoken).state();

    assertThat(state.up()).isTrue();
    assertThat(state.dialect()).isEqualTo(spoken.dialect());
    assertThat(state.maxModelLen()).isEqualTo(spoken.context());
  }

  @ParameterizedTest
  @MethodSource("spoken")
  void itsMetricsAreUnderstood(SpokenDialect spoken) throws Exception {
    EngineState state = pool(spoken).state();

    var expected = spoken.load();
    assertThat(state.kvUsage())
        .isEqualTo(
            expected.isPresent()
                ? OptionalDouble.of(expected.get().kvUsage())
                : OptionalDouble.empty());
    assertThat(state.running()).isEqualTo(expected.map(SpokenDialect.Load::running).orElse(0));
    assertThat(state.waiting()).isEqualTo(expected.map(SpokenDialect.Load::waiting).orElse(0));
    assertThat(state.tokenBudget())
        .isEqualTo(expected.map(SpokenDialect.Load::kvTokens).orElse(0L));
    assertThat(state.totals().orZero(EngineCount.PREFILL_TOKENS))
        .isEqualTo(expected.map(SpokenDialect.Load::prefillTokens).orElse(0.0));
  }

  @ParameterizedTest
  @MethodSource("spoken")
  void itGetsNoFieldThatItDoesNotHave(SpokenDialect spoken) throws Exception {
    Pool pool = pool(spoken);

    pool.run(
        1, Endpoint.CHAT_COMPLETIONS, CHAT.replace("\"stream\"", "\"stop\":[\"!\"],\"stream\""));

    assertThat(pool.around().log.lastEvent()).isInstanceOf(Outcome.Completed.class);
    JsonNode body = pool.engine().received().getFirst().body();
    assertThat(names(body)).containsExactlyInAnyOrderElementsOf(spoken.preparedFields());
    assertThat(names(body.path("stream_options")))
        .containsExactlyInAnyOrderElementsOf(spoken.preparedStreamOptions());
    assertThat(body.path("stream").asBoolean()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("spoken")
  void aStreamIsWholeWithAndWithoutDone(SpokenDialect spoken) throws Exception {
    for (boolean isSent : new boolean[] {true, false}) {
      Pool pool = pool(spoken);
      pool.engine().sendDone(isSent);

      pool.run(1, Endpoint.CHAT_COMPLETIONS, CHAT);

      assertThat(pool.around().log.lastEvent())
          .isInstanceOfSatisfying(
              Outcome.Completed.class,
              end -> {
                assertThat(end.finishReason()).isEqualTo("stop");
                assertThat(end.promptTokens()).isEqualTo(3);
                assertThat(end.completionTokens()).isEqualTo(FakeEngine.WORDS.size());
              });
      assertThat(pool.reply().text()).isEqualTo(FakeEngine.ANSWER);
      assertThat(pool.last().at("/usage/completion_tokens").asInt()).isEqualTo(4);
    }
  }

  @ParameterizedTest
  @MethodSource("spoken")
  void anAnswerThatIsNotStreamedIsWholeInItsFinalRecord(SpokenDialect spoken) throws Exception {
    Pool pool = pool(spoken);

    pool.run(1, Endpoint.CHAT_COMPLETIONS, CHAT.replace("true", "false"));

    assertThat(pool.last().at("/choices/0/message/content").asText()).isEqualTo(FakeEngine.ANSWER);
    assertThat(pool.last().at("/choices/0/finish_reason").asText()).isEqualTo("stop");
  }

  @ParameterizedTest
  @MethodSource("spoken")
  void anEngineThatGivesUpFailsTheAttempt(SpokenDialect spoken) throws Exception {
    for (String reason : spoken.aborts()) {
      Pool pool = pool(spoken);
      pool.engine().finishWith(reason);

      pool.run(1, Endpoint.CHAT_COMPLETIONS, CHAT);

      assertThat(pool.failure().code()).isEqualTo(FailureCode.ABORT);
    }
  }

  @ParameterizedTest
  @MethodSource("spoken")
  void aPromptThatIsTooLongIsTheCallersError(SpokenDialect spoken) throws Exception {
    Pool pool = refused(spoken, SpokenDialect.Fault.PROMPT_TOO_LONG);

    assertThat(pool.around().log.lastEvent())
        .isInstanceOfSatisfying(
            Outcome.Rejected.class,
            rejected -> assertThat(rejected.error()).isEqualTo(spoken.tooLongKind()));
  }

  @ParameterizedTest
  @MethodSource("spoken")
  void anUnknownModelAndAWrongKeyAreThePoolsFault(SpokenDialect spoken) throws Exception {
    assertThat(refused(spoken, SpokenDialect.Fault.UNKNOWN_MODEL).failure().code())
        .isEqualTo(FailureCode.ENGINE_REFUSED);
    assertThat(refused(spoken, SpokenDialect.Fault.WRONG_KEY).failure().code())
        .isEqualTo(FailureCode.ENGINE_REFUSED);
  }

  @ParameterizedTest
  @MethodSource("spoken")
  void anOverloadedEngineLeavesTheRequestToOthers(SpokenDialect spoken) throws Exception {
    Outcome.Failed failure = refused(spoken, SpokenDialect.Fault.OVERLOADED).failure();

    assertThat(failure.code()).isEqualTo(spoken.overloadedCode());
    if (spoken.overloadedCode() == FailureCode.ENGINE_OVERLOADED) {
      assertThat(failure.retryAfterMillis()).hasValue(2_000);
    }
  }

  @ParameterizedTest
  @MethodSource("spoken")
  void anInterruptedChatIsContinuedAsTheEngineSupports(SpokenDialect spoken) throws Exception {
    cutAndContinue(pool(spoken), Endpoint.CHAT_COMPLETIONS, CHAT, spoken.chatWay());
  }

  @ParameterizedTest
  @MethodSource("spoken")
  void anInterruptedCompletionIsContinuedAsTheEngineSupports(SpokenDialect spoken)
      throws Exception {
    cutAndContinue(pool(spoken), Endpoint.COMPLETIONS, COMPLETION, spoken.completionWay());
  }

  private static void cutAndContinue(Pool pool, Endpoint endpoint, String body, String way)
      throws Exception {
    // Given
    pool.engine().dieAfter(2);
    pool.run(1, endpoint, body);
    assertThat(pool.failure().code()).isEqualTo(FailureCode.CUT);
    assertThat(pool.reply().text()).isEqualTo("Once upon");

    // When
    pool.run(2, endpoint, body);

    // Then
    assertThat(pool.around().log.lastEvent()).isInstanceOf(Outcome.Completed.class);
    assertThat(pool.around().ways).containsExactly(way);
    assertThat(pool.reply().text()).isEqualTo(FakeEngine.ANSWER);
    assertThat(pool.reply().discardedTokens()).isEqualTo(way.equals("restart") ? 2 : 0);
    assertThat(pool.last().at("/usage/completion_tokens").asInt()).isEqualTo(4);
    assertThat(pool.engine().received()).hasSize(2);
    FakeEngine.Received second = pool.engine().received().getLast();
    assertThat(second.path())
        .isEqualTo(way.equals("ids") ? Endpoint.COMPLETIONS.path() : endpoint.path());
    if (way.equals("ids")) {
      assertThat(second.body().path("prompt")).hasToString("[1,2,3,11,12]");
      assertThat(second.body().path("max_tokens").asInt())
          .isEqualTo(endpoint == Endpoint.COMPLETIONS ? 9 - 2 : 2_045 - 2);
    }
  }

  private Pool refused(SpokenDialect spoken, SpokenDialect.Fault fault) throws Exception {
    Pool pool = pool(spoken);
    pool.engine().refuse(fault);
    pool.run(1, Endpoint.CHAT_COMPLETIONS, CHAT);
    return pool;
  }

  private static List<String> names(JsonNode object) {
    return object.properties().stream().map(Map.Entry::getKey).toList();
  }

  /** A worker's parts over a fake engine that was looked at once. */
  private record Pool(FakeEngine engine, EngineState state, Surroundings around) {
    void run(int attempt, Endpoint endpoint, String body) {
      around
          .generation(
              around.assignment(attempt, "lease-" + attempt, attempt == 1, endpoint, false), body)
          .run();
    }

    Outcome.Failed failure() {
      return (Outcome.Failed) around.log.lastEvent();
    }

    PartialReply reply() {
      var reply = new PartialReply();
      around.log.records().forEach(record -> reply.next(record.headers(), record.value()));
      return reply;
    }

    JsonNode last() throws Exception {
      return Json.tree(around.log.records().getLast().value());
    }
  }

  private Pool pool(SpokenDialect spoken) throws Exception {
    var engine = new FakeEngine(spoken);
    open.add(engine);
    var http = new EngineHttp(engine.uri(), EngineHttp.patient());
    open.add(http);
    WorkerConfig config = WorkerConfig.of(Map.of("id", "w", "model", "m"));
    var monitor = new EngineMonitor(http.client(), config.engine(), Clock.systemUTC());
    monitor.probe();
    var around = new Surroundings();
    around.serving = http.client();
    around.facts = monitor.state().facts(Optional.of("m"));
    around.gather = Duration.ZERO;
    return new Pool(engine, monitor.state(), around);
  }
}
