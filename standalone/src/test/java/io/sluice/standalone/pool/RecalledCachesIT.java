package io.sluice.standalone.pool;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.RoutingDecision;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.DecisionLog;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.InferenceRequest.Message;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.router.app.Router;
import io.sluice.router.app.RouterConfig;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import io.sluice.worker.app.Worker;
import io.sluice.worker.config.WorkerConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** All routers stop, and another one starts. */
@ExtendWith(SharedBackends.class)
class RecalledCachesIT {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final SimulatorConfig ENGINE =
      SimulatorConfig.of(GpuProfile.H100_FP8).withModels(List.of(PoolPlan.MODEL));

  @Test
  void aRouterThatStartsAloneKnowsWhatTheWorkersHaveCached(Backends backends) throws Exception {
    Map<String, String> pool =
        Map.of(
            "port",
            "0",
            "kafka",
            backends.kafkaBootstrapServers(),
            "redis",
            backends.redisUri(),
            "partitions",
            Integer.toString(PoolPlan.LOCAL_PARTITIONS));
    ClientConfig config = ClientConfig.at(backends.kafkaBootstrapServers());
    List<String> prompts =
        IntStream.range(0, 4).mapToObj(number -> ("item " + number + " ").repeat(500)).toList();
    try (SimulatedEngine engine = SimulatedEngine.start(ENGINE)) {
      // Given
      Router first = Router.start(RouterConfig.of(with(pool, "id", "first")));
      try (Worker worker =
              Worker.start(
                  WorkerConfig.of(
                      with(with(pool, "id", "w"), "engine-url", engine.uri().toString())));
          SluiceClient client = SluiceClient.connect(config)) {
        try (first) {
          assertThat(worker.awaitReady(PATIENCE)).isTrue();
          for (String prompt : prompts) {
            assertThat(cachedShare(client, config, prompt)).isLessThan(0.5);
          }
        }

        // When
        try (Router second = Router.start(RouterConfig.of(with(pool, "id", "second")))) {
          assertThat(second.awaitReady(PATIENCE)).isTrue();

          // Then each prompt is sent to it once, until it has recalled
          assertThat(prompts)
              .anySatisfy(
                  prompt -> assertThat(cachedShare(client, config, prompt)).isGreaterThan(0.9));
        }
      }
    }
  }

  /** Returns which share of a prompt its router expected in the worker's cache. */
  private static double cachedShare(SluiceClient client, ClientConfig config, String prompt)
      throws Exception {
    ReplyStream stream =
        client.submit(
            InferenceRequest.chat(PoolPlan.MODEL, List.of(Message.user(prompt)))
                .with("max_tokens", 2)
                .timeout(PATIENCE)
                .build());
    var _ = stream.answer().get(PATIENCE.toSeconds(), SECONDS);
    RoutingDecision decision =
        await()
            .atMost(PATIENCE)
            .until(() -> DecisionLog.read(config, stream.requestId()), found -> !found.isEmpty())
            .getLast();
    return decision.candidates().getFirst().scores().getOrDefault("prefix", 0.0);
  }

  private static Map<String, String> with(Map<String, String> settings, String key, String value) {
    Map<String, String> more = new HashMap<>(settings);
    more.put(key, value);
    return more;
  }
}
