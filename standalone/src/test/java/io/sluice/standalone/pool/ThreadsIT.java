package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A stopped pool leaves nothing behind in its process. */
@ExtendWith(SharedBackends.class)
class ThreadsIT {

  @Test
  void noClientOfKafkaOutlivesItsService(Backends backends) throws Exception {
    // Given
    Set<Thread> before = kafkaClients();

    // When
    try (LocalPool pool = Pools.start(backends, 1);
        var ignored = Pools.gateway(pool)) {
      assertThat(kafkaClients()).hasSizeGreaterThan(before.size());
    }

    // Then
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> assertThat(before).containsAll(kafkaClients()));
  }

  private static Set<Thread> kafkaClients() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(
            thread ->
                thread.getName().startsWith("kafka-admin-client-thread")
                    || thread.getName().startsWith("kafka-producer-network-thread"))
        .collect(Collectors.toSet());
  }
}
