package io.sluice.router.bulk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Topics;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.placement.Ledger;
import io.sluice.router.queue.Backlog;
import io.sluice.router.queue.BulkSize;
import io.sluice.router.queue.RequestKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class BulkEntranceTest {
  private static final long START = 1_800_000_000_000L;
  private static final long AFTER_REST = START + BulkEntrance.REST.toMillis();
  private static final BulkLine LINE =
      new BulkLine("tenant", new BulkSize(new RequestKind("llama", "2k", List.of(), List.of()), 0));

  private final List<ProducerRecord<byte[], byte[]>> sent = new ArrayList<>();
  private Function<ProducerRecord<byte[], byte[]>, CompletableFuture<RecordMetadata>> answers =
      record -> there();
  private final Backlog backlog = new Backlog(Backlog.Limits.ofRequests(1_000));
  private final BulkEntrance entrance =
      new BulkEntrance(
          new AllRecords(),
          new RecentRecords(),
          new Lanes(),
          new BulkAllowance(
              () -> new FleetSnapshot(Map.of(), true),
              new Ledger("router"),
              backlog,
              () -> 1,
              () -> 0));

  @Test
  void aFullBufferEndsTheBatchAndNoPlaceRests() {
    // Given
    answers =
        record ->
            record.partition() == 2
                ? CompletableFuture.failedFuture(new BufferExhaustedException("no memory"))
                : there();
    ParkedRequest first = request(1, 0);
    ParkedRequest second = request(2, 0);
    ParkedRequest third = request(3, 0);

    // When
    entrance.enter(List.of(first, second, third), START);
    BulkEntrance.Settled settled = entrance.settle(START);

    // Then
    assertThat(sent).hasSize(2);
    assertThat(settled.entered()).containsExactly(first);
    assertThat(settled.notEntered()).containsExactly(second, third);
    assertThat(entrance.resting(START)).isEmpty();
    assertThat(backlog.bulkBySize(0).values()).containsExactly(1);
    assertThat(entrance.settle(START).notEntered()).isEmpty();
  }

  @Test
  void aPartitionThatALaneLacksIsTriedOnceAndHoldsUpNoOther() {
    // Given
    answers =
        record -> record.partition() == 1 ? CompletableFuture.failedFuture(missing()) : there();
    ParkedRequest first = request(1, 0);
    ParkedRequest behind = request(1, 1);
    ParkedRequest other = request(2, 0);

    // When
    entrance.enter(List.of(first, behind, other), START);
    BulkEntrance.Settled settled = entrance.settle(START);

    // Then
    assertThat(sent).hasSize(2);
    assertThat(settled.entered()).containsExactly(other);
    assertThat(settled.notEntered()).containsExactlyInAnyOrder(first, behind);
    assertThat(entrance.resting(START)).containsExactly(RestingPlace.targetOf(first));
  }

  @Test
  void aPartitionThatHasRestedIsTriedWithOneRequestWithoutWaitingForIt() {
    // Given
    ParkedRequest first = request(1, 0);
    ParkedRequest second = request(1, 1);
    answers = record -> CompletableFuture.failedFuture(missing());
    entrance.enter(List.of(first), START);
    entrance.settle(START);
    assertThat(entrance.resting(AFTER_REST)).isEmpty();
    sent.clear();
    var answer = new CompletableFuture<RecordMetadata>();
    answers = record -> answer;

    // When
    long began = System.nanoTime();
    entrance.enter(List.of(first, second), AFTER_REST);
    Duration took = Duration.ofNanos(System.nanoTime() - began);
    BulkEntrance.Settled settled = entrance.settle(AFTER_REST);

    // Then
    assertThat(sent).hasSize(1);
    assertThat(took).isLessThan(Duration.ofSeconds(1));
    assertThat(settled.entered()).isEmpty();
    assertThat(settled.notEntered()).containsExactly(second);
    assertThat(entrance.resting(AFTER_REST)).containsExactly(RestingPlace.targetOf(first));

    // When
    answer.complete(new RecordMetadata(new TopicPartition("lane", 1), 0, 0, 0, 0, 0));
    settled = entrance.settle(AFTER_REST);
    answers = record -> there();
    entrance.enter(List.of(second, request(1, 2)), AFTER_REST);

    // Then
    assertThat(settled.entered()).containsExactly(first);
    assertThat(entrance.settle(AFTER_REST).entered()).hasSize(2);
  }

  @Test
  void aRequestThatIsRefusedItselfHoldsUpNoneBehindIt() {
    // Given
    answers =
        record ->
            HeaderText.get(record.headers(), HeaderNames.REQUEST_ID).equals(Optional.of("r-1-0"))
                ? CompletableFuture.failedFuture(new RecordTooLargeException("too large"))
                : there();
    ParkedRequest refused = request(1, 0);
    ParkedRequest second = request(1, 1);
    ParkedRequest third = request(1, 2);

    // When
    entrance.enter(List.of(refused, second), START);
    List<ParkedRequest> entered = new ArrayList<>(entrance.settle(START).entered());
    entrance.enter(List.of(refused, third), AFTER_REST);
    entered.addAll(entrance.settle(AFTER_REST).entered());

    // Then
    assertThat(entered).containsExactly(second, third);
  }

  @Test
  void anUndoubtedPartitionIsWaitedFor() {
    var late = CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS);
    answers = record -> there().thenApplyAsync(place -> place, late);
    ParkedRequest request = request(1, 0);

    entrance.enter(List.of(request), START);

    assertThat(entrance.settle(START).entered()).containsExactly(request);
  }

  private static ParkedRequest request(int partition, long offset) {
    return new ParkedRequest(
        partition, offset, 10, START, START, START + 60_000, 100, LINE, partition + 10 * offset);
  }

  private static CompletableFuture<RecordMetadata> there() {
    return CompletableFuture.completedFuture(
        new RecordMetadata(new TopicPartition("lane", 0), 0, 0, 0, 0, 0));
  }

  private static Exception missing() {
    return new org.apache.kafka.common.errors.TimeoutException("the partition is not present");
  }

  private final class Lanes extends MockProducer<byte[], byte[]> {
    Lanes() {
      super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public synchronized Future<RecordMetadata> send(
        ProducerRecord<byte[], byte[]> record, Callback callback) {
      sent.add(record);
      return answers
          .apply(record)
          .whenComplete((place, failure) -> callback.onCompletion(place, (Exception) failure));
    }
  }

  private static final class AllRecords implements BulkRecords {
    @Override
    public Reading read(List<ParkedRequest> requests) {
      Map<ParkedRequest, ConsumerRecord<byte[], byte[]>> found = new HashMap<>();
      requests.forEach(request -> found.put(request, record(request)));
      return new Reading(found, Set.of());
    }

    private static ConsumerRecord<byte[], byte[]> record(ParkedRequest request) {
      var record =
          new ConsumerRecord<>(
              Topics.BULK,
              request.partition(),
              request.offset(),
              new byte[0],
              "{\"model\":\"llama\"}".getBytes(UTF_8));
      HeaderText.put(
          record.headers(),
          HeaderNames.REQUEST_ID,
          "r-" + request.partition() + "-" + request.offset());
      return record;
    }

    @Override
    public void close() {}
  }
}
