package io.sluice.worker.intake;

import static io.sluice.worker.testing.ScriptedEngine.silence;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.common.breaker.BreakerPhase;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.worker.generation.StopReason;
import io.sluice.worker.testing.Surroundings;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
              new Admission(4, () -> false, () -> true, () -> BreakerPhase.CLOSED),
              incarnation));

  @Test
  void whatCameBeforeTheStartIsNotRead() throws Exception {
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

  private ConsumerRecord<String, byte[]> assigned(long offset, String lease) {
    var headers = new RecordHeaders();
    var given = around.assignment(1, lease, true);
    new Assignment(
            new LeaseRef(Surroundings.REQUEST, 1, lease, "w", incarnation.current()),
            given.router(),
            given.fresh(),
            given.foldFromOffset(),
            given.foldFromTimeMillis(),
            given.replyTo(),
            given.endpoint(),
            given.priority(),
            given.deadlineEpochMillis(),
            given.appendTimeMillis(),
            given.requestPartition(),
            given.fallbackModel(),
            given.evictions())
        .writeTo(headers);
    return new ConsumerRecord<>(
        TOPIC.topic(),
        0,
        offset,
        around.time.millis(),
        TimestampType.LOG_APPEND_TIME,
        0,
        2,
        Surroundings.REQUEST,
        new byte[] {'{', '}'},
        headers,
        Optional.empty());
  }
}
