package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Topics;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What callers see when every worker of their model is gone. */
@ExtendWith(SharedBackends.class)
class FallbackIT {
  private static final String LANE = "sluice.requests.2k";

  @Test
  void whenAllOfAModelsWorkersAreKilledTheFallbackAnswersAndSaysSoInEveryRecord(Backends backends)
      throws Exception {
    PoolPlan plan = Pools.plan(backends, 1);
    try (LocalPool pool = LocalPool.start(plan);
        PlainClient client = new PlainClient(backends.kafkaBootstrapServers())) {
      // Given
      pool.workers().getFirst().kill();

      // When
      String id = UUID.randomUUID().toString();
      client.send(LANE, id, Requests.chat("who is there", 20), Map.of("request-id", id));
      PlainClient.Answer answer = client.read(Topics.REPLIES, id);

      // Then
      assertThat(answer.ok()).as("%s", answer.last()).isTrue();
      assertThat(answer.records())
          .allSatisfy(
              record -> {
                assertThat(PlainClient.header(record, "fallback")).contains("true");
                assertThat(PlainClient.header(record, "model")).contains(PoolPlan.FALLBACK_MODEL);
              });
    }
  }
}
