package io.sluice.worker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.common.protocol.Lane;
import io.sluice.config.SettingSources;
import io.sluice.fleet.KafkaProperties;
import io.sluice.fleet.PoolSettings;
import io.sluice.fleet.redis.RedisPassword;
import io.sluice.fleet.redis.RedisSettings;
import io.sluice.fleet.redis.TrustedCertificates;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkerConfigTest {

  @Test
  void defaultsAreTheDocumentedOnes() {
    WorkerConfig config = WorkerConfig.of(Map.of("id", "w"));

    assertThat(config.host()).isEqualTo("127.0.0.1");
    assertThat(config.port()).isEqualTo(8_081);
    assertThat(config.tier()).isEmpty();
    assertThat(config.lanes()).isEmpty();
    assertThat(config.engine().url()).isEqualTo(URI.create("http://127.0.0.1:8000"));
    assertThat(config.engine().stallTimeout()).isEqualTo(Duration.ofSeconds(10));
    assertThat(config.engine().scrapeInterval()).isEqualTo(Duration.ofMillis(500));
    assertThat(config.engine().maxModelLen()).isEmpty();
    assertThat(config.limits())
        .isEqualTo(
            new WorkerConfig.Limits(
                256, Duration.ofMillis(10), Duration.ofSeconds(2), Duration.ofSeconds(30)));
    assertThat(config.engine().draftSuits()).isEmpty();
    assertThat(config.engine().refuses()).isEmpty();
    assertThat(config.watchdog())
        .isEqualTo(
            new WatchdogSettings(
                WatchdogMode.REPORT,
                Optional.empty(),
                Optional.empty(),
                false,
                Duration.ZERO,
                25,
                Duration.ofMinutes(1),
                Duration.ofMinutes(30),
                Duration.ofSeconds(30)));
    assertThat(config.warmUp())
        .isEqualTo(
            new WarmUpSettings(
                20, Optional.empty(), Duration.ofMinutes(1), Duration.ofSeconds(10)));
    assertThat(config.gpu()).isEqualTo(new GpuSettings(new GpuSource.None(), List.of(), 85));
    assertThat(config.heartbeat()).isEqualTo(Duration.ofMillis(250));
    assertThat(config.trace().endpoint()).isEmpty();
    assertThat(config.trace().sample()).isEqualTo(0.05);
    assertThat(config.pool().partitions()).isEqualTo(48);
    assertThat(config.pool().kafka()).isEqualTo("127.0.0.1:19092");
  }

  @Test
  void everySettingIsRead(@TempDir Path folder) throws IOException {
    Path kafkaConfig = Files.writeString(folder.resolve("kafka"), "security.protocol=SSL");
    Path password = Files.writeString(folder.resolve("redis"), "secret\n");

    // Given
    Map<String, String> settings = new HashMap<>();
    WorkerConfig.SCHEMA.settings().forEach(setting -> settings.put(setting.key(), "7"));
    settings.put("engine-url", "https://gpu:9/base/");
    settings.put("lanes", "2k, 8k");
    settings.put("heartbeat-millis", "70");
    settings.put("scrape-millis", "70");
    settings.put("kafka-config", kafkaConfig.toString());
    settings.put("redis-password-file", password.toString());
    settings.put("redis-ca", "");
    settings.put("trace-endpoint", "http://collector:4318");
    settings.put("metric-names", "gen-ai");
    settings.put("watchdog", "restart");
    settings.put("restart-url", "");
    settings.put("restart-pod", "false");
    settings.put("restart-timeout-millis", "700");
    settings.put("boot-timeout-millis", "700");
    settings.put("watchdog-window-millis", "700");
    settings.put("notice-cloud", "aws");
    settings.put("notice-metadata-url", "http://proxy");
    settings.put("gpu-readings", "http://node:9400/metrics");
    settings.put("gpu-hot-celsius", "70");
    settings.put("trace-sample", "0.7");

    // When
    WorkerConfig config = WorkerConfig.of(settings);

    // Then
    assertThat(config.engine().url()).isEqualTo(URI.create("https://gpu:9/base"));
    assertThat(config.lanes()).extracting(Lane::name).containsExactly("2k", "8k");
    assertThat(config.limits())
        .isEqualTo(
            new WorkerConfig.Limits(
                7, Duration.ofMillis(7), Duration.ofMillis(7), Duration.ofMillis(7)));
    assertThat(config.engine().model()).contains("7");
    assertThat(config.watchdog())
        .isEqualTo(
            new WatchdogSettings(
                WatchdogMode.RESTART,
                Optional.of("7"),
                Optional.empty(),
                false,
                Duration.ofHours(7),
                7,
                Duration.ofMillis(700),
                Duration.ofMillis(700),
                Duration.ofMillis(700)));
    assertThat(config.warmUp())
        .isEqualTo(
            new WarmUpSettings(
                7, Optional.of(Path.of("7")), Duration.ofMillis(7), Duration.ofMillis(7)));
    assertThat(config.notice())
        .isEqualTo(
            new NoticeSettings(
                Optional.of(Path.of("7")),
                Optional.of(Cloud.AWS),
                Optional.of(URI.create("http://proxy"))));
    assertThat(config.gpu())
        .isEqualTo(
            new GpuSettings(
                new GpuSource.Exporter(URI.create("http://node:9400/metrics")), List.of("7"), 70));
    assertThat(config.engine().tokenBudget()).hasValue(7);
    assertThat(config.engine().refuses()).containsExactly("7");
    assertThat(config.heartbeat()).isEqualTo(Duration.ofMillis(70));
    assertThat(config.trace().endpoint()).contains(URI.create("http://collector:4318/v1/traces"));
    assertThat(config.trace().sample()).isEqualTo(0.7);
    assertThat(config.pool())
        .isEqualTo(
            new PoolSettings(
                Optional.of("7"),
                new KafkaProperties(Map.of("security.protocol", "SSL")),
                new RedisSettings(
                    "7", new RedisPassword(Optional.of("secret")), TrustedCertificates.OF_JVM),
                "7",
                7,
                Optional.of((short) 7)));
  }

  @Test
  void theEnvironmentIsMappedNameByName() {
    Map<String, String> environment =
        Map.of(
            "PATH", "/bin",
            "SLUICE_WORKER_ID", "w",
            "SLUICE_WORKER_PORT", "1",
            "SLUICE_ENGINE_URL", "http://gpu:9",
            "SLUICE_MAX_CONCURRENT", "2",
            "SLUICE_STALL_TIMEOUT_MILLIS", "3",
            "SLUICE_KAFKA", "kafka:9092",
            "SLUICE_POOL", "p",
            "SLUICE_TIER", " ");

    WorkerConfig config =
        WorkerConfig.SCHEMA.read(new SettingSources(Map.of(), environment, Map.of()));

    assertThat(config.id()).isEqualTo("w");
    assertThat(config.port()).isEqualTo(1);
    assertThat(config.engine().url()).isEqualTo(URI.create("http://gpu:9"));
    assertThat(config.engine().stallTimeout()).isEqualTo(Duration.ofMillis(3));
    assertThat(config.limits().maxConcurrent()).isEqualTo(2);
    assertThat(config.pool().kafka()).isEqualTo("kafka:9092");
    assertThat(config.pool().name()).isEqualTo("p");
    assertThat(config.tier()).isEmpty();
  }

  @Test
  void anEngineWithADraftModelRefusesWhatSpeculationCannotDoUnlessToldOtherwise() {
    var draft = Map.of("id", "w", "draft-suits", "code, sql");
    var told = Map.of("id", "w", "draft-suits", "code", "refuses", "best_of");
    var all = Map.of("id", "w", "draft-suits", "code", "refuses", "none");

    assertThat(WorkerConfig.of(draft).engine().draftSuits()).containsExactly("code", "sql");
    var withDraft = List.of("best_of", "beam_search");
    assertThat(WorkerConfig.of(draft).engine().refused(withDraft)).isEqualTo(withDraft);
    assertThat(WorkerConfig.of(told).engine().refused(withDraft)).containsExactly("best_of");
    assertThat(WorkerConfig.of(all).engine().refused(withDraft)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "http://gpu:8000/v1, http://gpu:8000",
    "http://gpu:8000/v1/, http://gpu:8000",
    "http://gpu:8000/proxy/v1, http://gpu:8000/proxy",
    "http://gpu:8000/v10, http://gpu:8000/v10"
  })
  void theEnginesUrlMayBeTheOneThatOtherClientsUse(String given, String base) {
    WorkerConfig config = WorkerConfig.of(Map.of("id", "w", "engine-url", given));

    assertThat(config.engine().url()).isEqualTo(URI.create(base));
  }

  @ParameterizedTest
  @CsvSource({
    "port, 99999, must be a whole number from 0 to 65535 (port)",
    "max-concurrent, none, must be a whole number from 1 to 100000 (requests)",
    "engine-url, gpu:8000, must be a URL such as",
    "lanes, huge, not a size",
    "gpu-readings, dcgm, 'it must be none, nvidia-smi or a URL such as'",
    "gpu, 0, --gpu needs --gpu-readings",
    "colour, red, has no setting 'colour'",
    "id, a b, worker id 'a b'"
  })
  void complaintsNameTheSettingAndWhatWasExpected(String key, String value, String expected) {
    Map<String, String> settings = new HashMap<>(Map.of("id", "w"));
    settings.put(key, value);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> WorkerConfig.of(settings))
        .withMessageContaining(expected);
  }

  @Test
  void anEngineIsRestartedInOneWay() {
    var none = Map.of("id", "w", "watchdog", "restart");
    var pod = Map.of("id", "w", "watchdog", "restart", "restart-pod", "true");
    var both = new HashMap<>(pod);
    both.put("restart-url", "http://agent:1");

    assertThat(WorkerConfig.of(pod).watchdog().evictsPod()).isTrue();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WorkerConfig.of(none))
        .withMessageContaining("needs --restart-command, --restart-url or --restart-pod");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WorkerConfig.of(both))
        .withMessageContaining("exclude each other: set one of them");
  }

  @Test
  void aMissingIdSaysHowToGiveIt() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WorkerConfig.of(Map.of()))
        .withMessage("--id is missing: give it, or set SLUICE_WORKER_ID");
  }
}
