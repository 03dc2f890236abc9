package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Topics;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** Bulk requests on an engine whose memory is too small for all of them at once. */
class BulkIT {
  private static final String LANE = "sluice.requests.2k";
  private static final int BULK = 14;
  private static final int TOKENS = 400;

  /** 4,800 tokens; the job needs about 6,000. */
  private static final int KV_BLOCKS = 300;

  @Test
  void bulkThatFillsTheMemoryIsEvictedAndAllOfItIsAnsweredAsIfUndisturbed() throws Exception {
    SimulatorConfig config =
        SimulatorConfig.of(GpuProfile.RTX4090)
            .withModels(List.of(PoolPlan.MODEL))
            .withKvBlocks(KV_BLOCKS)
            .withMaxModelLen(2_048);
    try (SimulatedEngine engine = SimulatedEngine.start(config);
        LocalPool pool =
            LocalPool.start(
                PoolPlan.over(Ports.free(), List.of(engine.uri()), Optional.empty())
                    .withWarmEngines());
        PlainClient client = new PlainClient(pool.kafka())) {
      // Given
      for (int i = 0; i < BULK; i++) {
        client.send(Topics.BULK, id(i), body(i), Map.of("request-id", id(i)));
      }
      client.collect(Topics.REPLIES, record -> true, records -> started(records) >= BULK / 2);

      // When
      byte[] question = Requests.chat("somebody waits for this", 5);
      client.send(LANE, "now", question, Map.of("request-id", "now"));
      PlainClient.Answer interactive = client.read(Topics.REPLIES, "now");
      Map<String, PlainClient.Answer> answers = new HashMap<>();
      for (int i = 0; i < BULK; i++) {
        answers.put(id(i), client.read(Topics.REPLIES, id(i)));
      }

      // Then
      assertThat(interactive.ok()).isTrue();
      assertThat(interactive.attempts()).isEqualTo(1);
      assertThat(answers.values()).allMatch(PlainClient.Answer::ok);
      List<PlainClient.Answer> resumed =
          answers.values().stream().filter(BulkIT::wentOnFromItsTokens).toList();
      assertThat(resumed).isNotEmpty();
      for (int i = 0; i < BULK; i++) {
        client.send(LANE, again(i), body(i), Map.of("request-id", again(i)));
      }
      for (int i = 0; i < BULK; i++) {
        PlainClient.Answer undisturbed = client.read(Topics.REPLIES, again(i));
        assertThat(answers.get(id(i)).text()).isEqualTo(undisturbed.text());
      }
    }
  }

  private static String again(int number) {
    return "again-" + number;
  }

  private static String id(int number) {
    return "bulk-" + number;
  }

  private static byte[] body(int number) {
    return Requests.chat("piece of work number " + number, TOKENS);
  }

  private static int started(List<ConsumerRecord<String, byte[]>> records) {
    Set<String> ids = new HashSet<>();
    records.forEach(record -> ids.add(record.key()));
    return ids.size();
  }

  private static boolean wentOnFromItsTokens(PlainClient.Answer answer) {
    return answer.records().stream()
        .anyMatch(
            record ->
                PlainClient.header(record, "kind").equals(Optional.of("claim"))
                    && PlainClient.header(record, "mode").equals(Optional.of("resume"))
                    && !PlainClient.header(record, "index").equals(Optional.of("0")));
  }
}
