package io.sluice.worker.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.ModelCard;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.engine.EngineCheck;
import io.sluice.worker.engine.dialect.EngineDialects;
import io.sluice.worker.testing.ManualTime;
import io.sluice.worker.testing.ScriptedEngine;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class EngineMonitorTest {
  private static final String MODELS =
      "{\"object\":\"list\",\"data\":[{\"id\":\"m\",\"owned_by\":\"vllm\",\"max_model_len\":16384},{\"id\":\"adapter\",\"max_model_len\":null}]}";
  private static final String METRICS =
      "vllm:num_requests_running{engine=\"0\"} 3.0\nvllm:kv_cache_usage_perc{engine=\"0\"} 0.5\nvllm:cache_config_info{block_size=\"16\",num_gpu_blocks=\"100\"} 1.0\n";

  private final ManualTime time = new ManualTime();
  private final ScriptedEngine engine = new ScriptedEngine(time);

  @Test
  void anEngineIsDownUntilItAnswersAndThenKnown() throws Exception {
    EngineMonitor monitor = monitor(Map.of());
    monitor.probe();
    assertThat(monitor.state().up()).isFalse();

    vllm();
    monitor.probe();

    EngineState state = monitor.state();
    assertThat(state.up()).isTrue();
    assertThat(monitor.announcedModels()).containsExactly("m", "adapter");
    assertThat(state.dialect()).isEqualTo(EngineDialects.VLLM);
    assertThat(state.maxModelLen()).isEqualTo(16_384);
    assertThat(state.tokenBudget()).isEqualTo(1_600);
    assertThat(state.kvUsage()).hasValue(0.5);
    assertThat(state.running()).isEqualTo(3);
  }

  @Test
  void itTellsWhatIsWrongOnceItHasProbed() throws Exception {
    EngineMonitor monitor = monitor(Map.of());
    assertThat(monitor.answer().toCompletableFuture()).isNotDone();

    engine.answers("/health", 503, "");
    monitor.probe();
    assertThat(problem(monitor)).contains("/health answered with status 503");

    vllm();
    engine.answers("/v1/models", 401, "");
    monitor.probe();
    assertThat(problem(monitor)).contains("it wants another key: set SLUICE_ENGINE_API_KEY");

    engine.answers("/v1/models", 200, "{}");
    monitor.probe();
    assertThat(problem(monitor)).contains("it lists no models: set SLUICE_MODEL");

    vllm();
    monitor.probe();
    assertThat(monitor.answer().toCompletableFuture()).isCompleted();
  }

  private static String problem(EngineMonitor monitor) {
    return monitor.answer().toCompletableFuture().exceptionNow().getMessage();
  }

  @Test
  void llamaCppTellsItsContextElsewhere() throws Exception {
    EngineMonitor monitor = monitor(Map.of());
    engine
        .answers("/health", 200, "")
        .answers("/metrics", 501, "")
        .answers(
            "/v1/models",
            200,
            """
            {"data":[{"id":"m.gguf","owned_by":"llamacpp","meta":{"n_ctx":2048,"n_ctx_train":4096}}]}
            """);

    monitor.probe();

    assertThat(monitor.state().up()).isTrue();
    assertThat(monitor.state().maxModelLen()).isEqualTo(2_048);
    assertThat(monitor.state().dialect()).isEqualTo(EngineDialects.LLAMA_CPP);
  }

  @Test
  void oneFailedProbeIsToleratedTwoAreNot() throws Exception {
    EngineMonitor monitor = monitor(Map.of());
    vllm();
    monitor.probe();

    engine.answersNothing();
    monitor.probe();
    assertThat(monitor.state().up()).isTrue();
    monitor.probe();
    assertThat(monitor.state().up()).isFalse();
    assertThat(monitor.failedProbes()).isEqualTo(2);

    vllm();
    monitor.probe();
    assertThat(monitor.state().up()).isTrue();
  }

  @Test
  void anEngineThatRefusesConnectionsIsDownAtOnceAndHasNoLoad() throws Exception {
    EngineMonitor monitor = monitor(Map.of());
    vllm();
    monitor.probe();

    engine.goes();
    monitor.probe();

    assertThat(monitor.state().up()).isFalse();
    assertThat(monitor.state().running()).isZero();
    assertThat(monitor.state().kvUsage()).isEmpty();
  }

  @Test
  void anEngineThatSaysItIsDeadIsDownAtOnce() throws Exception {
    EngineMonitor monitor = monitor(Map.of());
    vllm();
    monitor.probe();

    engine.answers("/health", 503, "");
    monitor.probe();

    assertThat(monitor.state().up()).isFalse();
  }

  @Test
  void anEngineWithoutMetricsIsFine() throws Exception {
    EngineMonitor monitor = monitor(Map.of());
    engine
        .answers("/health", 200, "{\"status\":\"ok\"}")
        .answers("/metrics", 404, "")
        .answers("/v1/models", 200, "{\"data\":[{\"id\":\"t\"}]}");

    monitor.probe();

    assertThat(monitor.state().up()).isTrue();
    assertThat(monitor.state().kvUsage()).isEmpty();
    assertThat(monitor.state().tokenBudget()).isZero();
    assertThat(monitor.state().dialect()).isEqualTo(EngineDialects.OPENAI);
  }

  @Test
  void anEngineWithoutHealthIsJudgedByItsModels() throws Exception {
    EngineMonitor monitor = monitor(Map.of());
    engine
        .answers("/health", 404, "")
        .answers("/metrics", 404, "")
        .answers("/v1/models", 200, MODELS);

    monitor.probe();

    assertThat(monitor.state().up()).isTrue();
  }

  @Test
  void anEngineWhoseHealthWaitsBehindItsWorkIsJudgedByItsModels() throws Exception {
    EngineMonitor monitor = monitor(Map.of());
    engine
        .tooBusyToAnswer("/health")
        .answers("/metrics", 200, "sglang:num_running_reqs 1\n")
        .answers(
            "/v1/models",
            200,
            """
            {"data":[{"id":"m","owned_by":"sglang","max_model_len":2048}]}
            """);

    monitor.probe();
    monitor.probe();

    assertThat(monitor.state().up()).isTrue();
    assertThat(monitor.state().dialect()).isEqualTo(EngineDialects.SGLANG);
    assertThat(monitor.state().running()).isEqualTo(1);
  }

  @Test
  void anEngineThatListsNoModelsNeedsOneConfigured() throws Exception {
    engine
        .answers("/health", 200, "")
        .answers("/metrics", 404, "")
        .answers("/v1/models", 500, "oops");
    EngineMonitor nameless = monitor(Map.of());
    EngineMonitor named = monitor(Map.of("model", "t"));

    nameless.probe();
    named.probe();

    assertThat(nameless.state().up()).isFalse();
    assertThat(named.state().up()).isTrue();
    assertThat(named.announcedModels()).containsExactly("t");
  }

  @Test
  void anEngineToWhichThereIsNoConnectionIsAway() throws Exception {
    // Given
    EngineMonitor monitor = monitor(Map.of());
    vllm();
    monitor.probe();

    // When
    engine.isCutOff();
    monitor.probe();
    assertThat(monitor.state().up()).isTrue();
    monitor.probe();

    // Then
    assertThat(monitor.state().condition()).isEqualTo(EngineCheck.Condition.AWAY);
  }

  @Test
  void anEngineThatClosesTwoConnectionsIsDeadAndASilentOneIsAway() throws Exception {
    EngineMonitor closed = monitor(Map.of());
    vllm();
    closed.probe();
    engine.answersNothing();
    closed.probe();
    closed.probe();
    assertThat(closed.state().condition()).isEqualTo(EngineCheck.Condition.DEAD);

    vllm();
    EngineMonitor silent = monitor(Map.of());
    silent.probe();
    engine.tooBusyToAnswer();
    silent.probe();
    silent.probe();
    assertThat(silent.state().condition()).isEqualTo(EngineCheck.Condition.AWAY);
  }

  @Test
  void anEngineThatRefusesTheKeyIsDownEvenWithAConfiguredModel() throws Exception {
    vllm();
    engine.answers("/v1/models", 401, "{\"error\":\"Unauthorized\"}");
    EngineMonitor named = monitor(Map.of("model", "m"));

    named.probe();
    assertThat(named.state().up()).isFalse();

    vllm();
    named.probe();
    assertThat(named.state().up()).isTrue();
    assertThat(named.state().dialect()).isEqualTo(EngineDialects.VLLM);
  }

  @Test
  void anEngineInDoubtIsIdentifiedAgain() throws Exception {
    EngineMonitor monitor = monitor(Map.of());
    vllm();
    monitor.probe();

    engine.answers("/v1/models", 200, "{\"data\":[{\"id\":\"other\",\"owned_by\":\"vllm\"}]}");
    monitor.probe();
    assertThat(monitor.announcedModels()).contains("m");
    monitor.probeAndIdentify();
    assertThat(monitor.announcedModels()).containsExactly("other");

    engine.answers("/v1/models", 500, "");
    monitor.probeAndIdentify();
    assertThat(monitor.announcedModels()).containsExactly("other");
    engine.answers("/v1/models", 403, "");
    monitor.probeAndIdentify();
    assertThat(monitor.state().up()).isFalse();
  }

  @Test
  void anUnidentifiedEngineIsAskedAgain() throws Exception {
    EngineMonitor named = monitor(Map.of("model", "m"));
    vllm();
    engine.answers("/v1/models", 500, "");
    named.probe();
    assertThat(named.state().dialect()).isEqualTo(EngineDialects.OPENAI);

    vllm();
    named.probe();

    assertThat(named.state().dialect()).isEqualTo(EngineDialects.VLLM);
  }

  @Test
  void anAliasHidesTheEnginesOwnName() throws Exception {
    vllm();
    EngineMonitor alias = monitor(Map.of("model", "house-model"));
    EngineMonitor same = monitor(Map.of("model", "m"));

    alias.probe();
    same.probe();

    assertThat(alias.announcedModels()).containsExactly("house-model");
    assertThat(same.announcedModels()).containsExactly("m", "adapter");
  }

  @Test
  void theConfiguredModelComesFirstIfTheEngineListsIt() throws Exception {
    // Given
    vllm();
    engine.answers(
        "/v1/models",
        200,
        """
        {"data":[
          {"id":"a","owned_by":"vllm","root":"/models/x","parent":null,"max_model_len":16384},
          {"id":"b","owned_by":"vllm","root":"/models/x","parent":null,"max_model_len":8192},
          {"id":"adapter","owned_by":"vllm","root":"/loras/1","parent":"a","max_model_len":null}]}
        """);
    EngineMonitor monitor = monitor(Map.of("model", "b"));

    // When
    monitor.probe();

    // Then
    assertThat(monitor.announcedModels()).containsExactly("b", "a", "adapter");
    assertThat(monitor.state().maxModelLen()).isEqualTo(8_192);
    assertThat(monitor.state().facts(Optional.of("b")).engineModel("", Optional.empty()))
        .contains("b");
    assertThat(monitor.announcedCards().get("b").parent()).isEmpty();
    assertThat(monitor.announcedCards().get("adapter").parent()).contains("a");
  }

  @Test
  void anAliasHasTheCardOfTheFirstModel() throws Exception {
    // Given
    vllm();
    engine.answers(
        "/v1/models",
        200,
        """
        {"data":[{"id":"m","owned_by":"vllm","root":"/models/m","created":1000},{"id":"n"}]}
        """);
    EngineMonitor alias = monitor(Map.of("model", "house-model"));

    // When
    alias.probe();

    // Then
    assertThat(alias.announcedCards())
        .containsExactly(
            Map.entry(
                "house-model",
                new ModelCard(
                    Optional.of("/models/m"),
                    Optional.empty(),
                    Optional.of("vllm"),
                    OptionalInt.empty(),
                    OptionalLong.of(1_000))));
  }

  @Test
  void aModelIsAsOldAsItsFirstListing() throws Exception {
    // Given
    EngineMonitor monitor = monitor(Map.of());
    vllm();
    monitor.probe();
    long first = time.instant().getEpochSecond();

    // When
    time.advance(Duration.ofMinutes(1));
    engine.answers("/v1/models", 200, MODELS.replace("{\"id\":\"adapter\"", "{\"id\":\"late\""));
    monitor.probeAndIdentify();

    // Then
    assertThat(monitor.announcedCards().get("m").created()).hasValue(first);
    assertThat(monitor.announcedCards().get("late").created()).hasValue(first + 60);
  }

  @Test
  void configurationOverridesWhatTheEngineSays() throws Exception {
    vllm();
    EngineMonitor monitor = monitor(Map.of("max-model-len", "4096", "token-budget", "999"));

    monitor.probe();

    assertThat(monitor.state().maxModelLen()).isEqualTo(4_096);
    assertThat(monitor.state().tokenBudget()).isEqualTo(999);
  }

  @Test
  void anEngineThatTellsALaterStartIsAnotherOne() throws Exception {
    EngineMonitor monitor = monitor(Map.of());
    vllm("process_start_time_seconds 1.79e9\n");
    monitor.probe();
    engine.goes();
    monitor.probe();
    vllm("process_start_time_seconds 1.79e9\n");
    monitor.probe();
    assertThat(monitor.state().life()).isZero();

    vllm("process_start_time_seconds 1.790001e9\n");
    monitor.probe();
    assertThat(monitor.state().life()).isOne();

    // Two processes that answer in turn are not deaths; one whose clock was set back is one.
    vllm("process_start_time_seconds 1.79e9\n");
    monitor.probe();
    vllm("process_start_time_seconds 1.790001e9\n");
    monitor.probe();
    assertThat(monitor.state().life()).isOne();
    engine.goes();
    monitor.probe();
    vllm("process_start_time_seconds 1.78e9\n");
    monitor.probe();
    assertThat(monitor.state().life()).isEqualTo(2);
  }

  @Test
  void anEngineThatTellsNoStartIsAnotherOneWhenItWasDead() throws Exception {
    EngineMonitor monitor = monitor(Map.of());
    vllm();
    monitor.probe();
    engine.answers("/health", 500, "");
    monitor.probe();
    monitor.probe();
    vllm();
    monitor.probe();
    assertThat(monitor.state().life()).isZero();

    engine.goes();
    monitor.probe();
    vllm();
    monitor.probe();
    assertThat(monitor.state().life()).isOne();
  }

  private void vllm() {
    vllm("");
  }

  private void vllm(String moreMetrics) {
    engine
        .answers("/health", 200, "")
        .answers("/metrics", 200, METRICS + moreMetrics)
        .answers("/v1/models", 200, MODELS);
  }

  private EngineMonitor monitor(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("id", "w");
    return new EngineMonitor(engine, WorkerConfig.of(all).engine(), time);
  }
}
