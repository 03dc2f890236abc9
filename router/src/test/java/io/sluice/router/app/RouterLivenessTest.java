package io.sluice.router.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.health.HealthStatus;
import io.micronaut.management.health.indicator.HealthResult;
import java.util.Set;
import org.apache.kafka.streams.KafkaStreams.State;
import org.junit.jupiter.api.Test;

class RouterLivenessTest {
  @Test
  void aRestartHelpsIfTheStreamsOrAThreadHaveFailedAndNotWhileTheyBegin() {
    assertThat(RouterLiveness.result(State.RUNNING, Set.of()).getStatus())
        .isEqualTo(HealthStatus.UP);
    assertThat(RouterLiveness.result(State.REBALANCING, Set.of()).getStatus())
        .isEqualTo(HealthStatus.UP);
    assertThat(RouterLiveness.result(State.ERROR, Set.of()).getStatus())
        .isEqualTo(HealthStatus.DOWN);
    HealthResult failed = RouterLiveness.result(State.RUNNING, Set.of("log-reader"));
    assertThat(failed.getStatus()).isEqualTo(HealthStatus.DOWN);
    assertThat(failed.getDetails().toString()).contains("log-reader");
  }
}
