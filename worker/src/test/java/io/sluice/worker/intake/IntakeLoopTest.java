package io.sluice.worker.intake;

import static io.sluice.worker.testing.ScriptedEngine.silence;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.AssignmentBuilder;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Outcome.ReturnReason;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.worker.generation.StopReason;
import io.sluice.worker.testing.Surroundings;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
@Timeout(20)
class IntakeLoopTest {
  private static final TopicPartition TOPIC = new TopicPartition("sluice.worker.w", 0);

  private final Surroundings around = new Surroundings();
  private final RunningGenerations running = new RunningGenerations();
  private final Incarnation incarnation = new Incarnation();
  private final MockConsumer<String, byte[]> consumer = new MockConsumer<>("latest");
  private final IntakeLoop loop =
      new IntakeLoop(
          consumer,
          "w",
          new Intake(
              around.services(),
              running,
              new Admission(() -> 4, () -> false, () -> true, () -> BreakerPhase.CLOSED),
              incarnation),
          around.time);

  @Test
  void recordsBeforeTheStartAreNotRead() throws Exception {
    consumer.updateEndOffsets(Map.of(TOPIC, 5L));
    consumer.updateBeginningOffsets(Map.of(TOPIC, 0L));
    around.engine.plays(silence());

    loop.start();
    consumer.schedulePollTask(
        () -> {
          consumer.addRecord(assigned(4, "old"));
          consumer.addRecord(assigned(5, "new"));
        });

    await().until(() -> running.ofLease("new").isPresent());
    assertThat(running.ofLease("old")).isEmpty();
    loop.close();
    assertThat(consumer.closed()).isTrue();
    running.stop(any -> true, StopReason.ABANDONED);
    assertThat(running.awaitNone(Duration.ofSeconds(5))).isTrue();
  }

  @Test
  void aPollThatFailsIsTriedAgain() throws Exception {
    consumer.updateEndOffsets(Map.of(TOPIC, 0L));
    around.engine.plays(silence());
    consumer.setPollException(new KafkaException("the broker hiccups"));

    loop.start();
    consumer.schedulePollTask(() -> consumer.addRecord(assigned(0, "a")));

    await().until(() -> running.ofLease("a").isPresent());
    loop.close();
    running.stop(any -> true, StopReason.ABANDONED);
    assertThat(running.awaitNone(Duration.ofSeconds(5))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(longs = {-7_200_000, 0, 7_200_000})
  void anAssignmentReadLongAfterTheEndOfTheTopicIsReturnedRegardlessOfTheBrokersClock(long skew)
      throws Exception {
    consumer.updateEndOffsets(Map.of(TOPIC, 0L));
    loop.start();
    appends(assigned(0, "fresh", skew), 1);
    await().until(() -> running.ofLease("fresh").isPresent());
    awaitPoll();

    // The topic grows by two, of which one is brought only.
    appends(assigned(1, "in time", skew), 3);
    await().until(() -> running.ofLease("in time").isPresent());
    awaitPoll();
    around.time.advance(Duration.ofMillis(12_001));
    appends(assigned(2, "old", skew), 3);
    await()
        .untilAsserted(
            () ->
                assertThat(around.log.events())
                    .contains(new Outcome.Returned(ReturnReason.STALE, 0)));
    awaitPoll();
    appends(assigned(3, "fresh again", skew), 4);

    await().until(() -> running.ofLease("fresh again").isPresent());
    assertThat(running.ofLease("old")).isEmpty();
    loop.close();
    running.stop(any -> true, StopReason.ABANDONED);
    assertThat(running.awaitNone(Duration.ofSeconds(5))).isTrue();
  }

  private void appends(ConsumerRecord<String, byte[]> record, long end) {
    around.engine.plays(silence());
    consumer.schedulePollTask(
        () -> {
          consumer.updateEndOffsets(Map.of(TOPIC, end));
          consumer.addRecord(record);
        });
  }

  /** Returns once a poll has begun and ended. */
  private void awaitPoll() throws InterruptedException {
    for (int i = 0; i < 2; i++) {
      var polled = new CountDownLatch(1);
      consumer.schedulePollTask(polled::countDown);
      assertThat(polled.await(5, TimeUnit.SECONDS)).isTrue();
    }
  }

  private ConsumerRecord<String, byte[]> assigned(long offset, String lease) {
    return assigned(offset, lease, 0);
  }

  private ConsumerRecord<String, byte[]> assigned(long offset, String lease, long skewMillis) {
    var headers = new RecordHeaders();
    var given = around.assignment(1, lease, true);
    AssignmentBuilder.builder(given)
        .lease(new LeaseRef(Surroundings.REQUEST, 1, lease, "w", incarnation.current()))
        .build()
        .writeTo(headers);
    return new ConsumerRecord<>(
        TOPIC.topic(),
        0,
        offset,
        around.time.millis() + skewMillis,
        TimestampType.LOG_APPEND_TIME,
        0,
        2,
        Surroundings.REQUEST,
        new byte[] {'{', '}'},
        headers,
        Optional.empty());
  }
}
