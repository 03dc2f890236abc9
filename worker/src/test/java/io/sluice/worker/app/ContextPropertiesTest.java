package io.sluice.worker.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.worker.config.WorkerConfig;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContextPropertiesTest {

  @ParameterizedTest
  @CsvSource({"1, 1024", "872, 1024", "930, 1087", "100000, 110064"})
  void checksOfTheEngineFindAConnectionHoweverManyRequestsRun(int maxConcurrent, int connections) {
    var config = WorkerConfig.of(Map.of("id", "w", "max-concurrent", "" + maxConcurrent));

    assertThat(ContextProperties.of(config))
        .containsEntry(
            "micronaut.http.services.sluice-engine.pool.max-concurrent-http1-connections",
            connections);
  }
}
