package io.sluice.producer.client;

import static io.sluice.producer.client.MockPool.drain;
import static io.sluice.producer.client.MockPool.streamed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.Topics;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

/** Control messages: who sends them, and to which partitions. */
class ControlsTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_790_000_000);
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final MockPool pool = new MockPool();

  @Test
  void aCancelByIdAloneGoesToEveryPartitionAndIsKeptLongestWhereTheIdBelongs() {
    // When
    var written = pool.client.cancel("r");

    // Then
    assertThat(written).succeedsWithin(LIMIT);
    assertThat(controls()).hasSize(MockPool.PARTITIONS);
    assertThat(controls()).extracting(ProducerRecord::partition).containsExactly(0, 1, 2, 3);
    for (ProducerRecord<String, byte[]> control : controls()) {
      assertThat(control.key()).isEqualTo("r");
      assertThat(Control.parse(control.value())).contains(new Control.Cancel("r"));
      Duration kept =
          control.partition() == Partitions.of("r", MockPool.PARTITIONS)
              ? Duration.ofHours(24)
              : Duration.ofMinutes(10);
      assertThat(HeaderText.getLong(control.headers(), HeaderNames.DEADLINE))
          .hasValue(NOW.plus(kept).toEpochMilli());
    }
  }

  @Test
  void whatIsAskedOfARequestOfOnesOwnGoesToItsPartition() {
    // Given
    ReplyStream stream = pool.submit(streamed().conversationId("talk"));
    int partition = Partitions.of("talk", MockPool.PARTITIONS);

    // When
    var extended = pool.client.extend(stream.requestId(), NOW.plusSeconds(300));
    assertThat(extended).succeedsWithin(LIMIT);
    var raised = pool.client.reprioritise(stream.requestId(), Priority.URGENT);
    assertThat(raised).succeedsWithin(LIMIT);
    var cancelled = pool.client.cancel(stream.requestId());
    stream.cancel();
    assertThat(cancelled).succeedsWithin(LIMIT);

    // Then
    assertThat(controls())
        .extracting(ProducerRecord::partition)
        .containsExactly(partition, partition, partition);
    assertThat(controls().stream().map(record -> Control.parse(record.value()).orElseThrow()))
        .containsExactly(
            new Control.Extend(stream.requestId(), NOW.plusSeconds(300).toEpochMilli()),
            new Control.Reprioritise(stream.requestId(), Priority.URGENT),
            new Control.Cancel(stream.requestId()));
  }

  @Test
  void aStreamWaitsForAnExtendedRequest() throws Exception {
    // Given
    ReplyStream stream = pool.submit(streamed().timeout(Duration.ofSeconds(60)));
    var _ = pool.client.extend(stream.requestId(), NOW.plusSeconds(600));

    // When
    pool.passTime(Duration.ofSeconds(300));
    pool.read();
    boolean endedEarly = MockPool.folded(stream).isEnded();
    pool.passTime(Duration.ofSeconds(311));
    pool.read();

    // Then
    assertThat(endedEarly).isFalse();
    assertThat(((ReplyEvent.Failed) drain(stream).getFirst()).kind())
        .isEqualTo(ErrorKind.DEADLINE_EXCEEDED);
  }

  @Test
  void aControlThatKafkaDoesNotTakeIsToldToTheCaller() {
    // Given
    MockPool unacknowledged = new MockPool(ClientConfig.at("kafka:1"), false);

    // When
    var written = unacknowledged.client.reprioritise("r", Priority.BULK);
    awaitSent(unacknowledged, MockPool.PARTITIONS);
    unacknowledged.producer.errorNext(new IllegalStateException("no broker"));

    // Then
    while (unacknowledged.producer.completeNext()) {
      // all others are accepted
    }
    assertThat(written).failsWithin(LIMIT);
  }

  @Test
  void aRepeatedCancelWaitsForTheFirstToBeTaken() {
    // Given
    MockPool unacknowledged = new MockPool(ClientConfig.at("kafka:1"), false);
    ReplyStream stream = unacknowledged.submit(streamed());
    unacknowledged.producer.completeNext();
    stream.cancel();
    awaitSent(unacknowledged, 2);

    // When
    var repeated = unacknowledged.client.cancel(stream.requestId());
    boolean wasDoneEarly = repeated.isDone();
    unacknowledged.producer.completeNext();

    // Then
    assertThat(wasDoneEarly).isFalse();
    assertThat(repeated).succeedsWithin(LIMIT);
    assertThat(unacknowledged.producer.history()).hasSize(2);
  }

  @Test
  void aCancelThatKafkaRefusedCanBeRepeated() {
    // Given
    MockPool unacknowledged = new MockPool(ClientConfig.at("kafka:1"), false);
    ReplyStream stream = unacknowledged.submit(streamed());
    unacknowledged.producer.completeNext();
    var refused = unacknowledged.client.cancel(stream.requestId());
    awaitSent(unacknowledged, 2);
    unacknowledged.producer.errorNext(new IllegalStateException("no broker"));
    assertThat(refused).failsWithin(LIMIT);

    // When
    var repeated = unacknowledged.client.cancel(stream.requestId());
    awaitSent(unacknowledged, 3);
    boolean wasDoneEarly = repeated.isDone();
    unacknowledged.producer.completeNext();

    // Then
    assertThat(wasDoneEarly).isFalse();
    assertThat(repeated).succeedsWithin(LIMIT);
    assertThat(unacknowledged.producer.history()).hasSize(3);
  }

  @Test
  void aRequestWhoseCancelKafkaRefusedIsNotSaidToBeCancelled() throws Exception {
    // Given
    MockPool unacknowledged = new MockPool(ClientConfig.at("kafka:1"), false);
    ReplyStream stream = unacknowledged.submit(streamed().timeout(Duration.ofSeconds(60)));
    unacknowledged.producer.completeNext();
    var refused = unacknowledged.client.cancel(stream.requestId());
    awaitSent(unacknowledged, 2);
    unacknowledged.producer.errorNext(new IllegalStateException("no broker"));
    assertThat(refused).failsWithin(LIMIT);

    // When
    unacknowledged.passTime(Duration.ofSeconds(59));
    unacknowledged.read();
    boolean endedEarly = MockPool.folded(stream).isEnded();
    unacknowledged.passTime(Duration.ofSeconds(30));
    unacknowledged.read();

    // Then
    assertThat(endedEarly).isFalse();
    assertThat(((ReplyEvent.Failed) drain(stream).getFirst()).kind())
        .isEqualTo(ErrorKind.DEADLINE_EXCEEDED);
  }

  @Test
  void aRequestWhoseClientIsClosedBeforeItIsSentIsNotSent() {
    // Given
    pool.meanwhile = pool.client::close;

    // When
    ReplyStream stream = pool.submit(streamed().cancelOnClose());

    // Then
    assertThat(MockPool.folded(stream).isEnded()).isTrue();
    assertThat(pool.producer.history()).isEmpty();
  }

  @Test
  void cancellationsDoNotWaitForEachOther() {
    // Given a producer that blocks until three threads are in it
    CyclicBarrier together = new CyclicBarrier(3);
    List<ReplyStream> streams =
        List.of(pool.submit(streamed()), pool.submit(streamed()), pool.submit(streamed()));
    pool.beforeSend =
        record -> {
          try {
            together.await(10, TimeUnit.SECONDS);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        };

    // When
    pool.client.cancelAll();

    // Then
    await().until(() -> controls().size() == 3);
    assertThat(controls())
        .extracting(ProducerRecord::key)
        .containsExactlyInAnyOrderElementsOf(streams.stream().map(ReplyStream::requestId).toList());
  }

  @Test
  void aKafkaThatIsAwayIsTriedOnceForACancelToEveryPartition() {
    // Given
    AtomicInteger tries = new AtomicInteger();
    pool.beforeSend =
        record -> {
          tries.incrementAndGet();
          throw new TimeoutException("no metadata");
        };

    // When
    var cancelled = pool.client.cancel("r");

    // Then
    assertThat(cancelled).failsWithin(LIMIT);
    assertThat(tries).hasValue(1);
  }

  @Test
  void closingTheClientWaitsForWhatIsBeingSent() {
    // Given
    ReplyStream stream = pool.submit(streamed());
    AtomicInteger sent = new AtomicInteger();
    pool.beforeSend =
        record -> {
          LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
          sent.incrementAndGet();
        };

    // When
    stream.cancel();
    pool.client.close();

    // Then
    assertThat(sent).hasValue(1);
  }

  @Test
  void closingTheClientEndsThoughKafkaTakesNothing() {
    // Given
    CountDownLatch never = new CountDownLatch(1);
    ReplyStream stream = pool.submit(streamed().cancelOnClose());
    pool.beforeSend =
        record -> {
          try {
            never.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        };

    // When
    CompletableFuture<Void> closed = CompletableFuture.runAsync(pool.client::close);

    // Then
    assertThat(closed).succeedsWithin(Duration.ofSeconds(30));
    assertThat(MockPool.folded(stream).isEnded()).isTrue();
  }

  @Test
  void closingAStreamLeavesItsRequestAlone() throws Exception {
    // Given
    ReplyStream stream = pool.submit(streamed());

    // When
    stream.close();
    stream.close();

    // Then
    assertThat(controls()).isEmpty();
    ReplyEvent.Failed failed = (ReplyEvent.Failed) drain(stream).getFirst();
    assertThat(failed.kind()).isEqualTo(ErrorKind.UNAVAILABLE);
    assertThat(failed.message()).isEqualTo("the reader closed the stream; the request continues");
  }

  @Test
  void closingAStreamCancelsTheRequestThatAskedForIt() throws Exception {
    // Given
    ReplyStream stream = pool.submit(streamed().cancelOnClose());

    // When
    stream.close();
    stream.close();
    await().until(() -> !controls().isEmpty());
    pool.error(stream, 1, "{\"error\":{\"code\":\"cancelled\",\"message\":\"by request\"}}");
    pool.read();

    // Then
    assertThat(controls()).hasSize(1);
    assertThat(((ReplyEvent.Failed) drain(stream).getFirst()).message()).isEqualTo("by request");
  }

  @Test
  void closingAStreamAfterItsEndCancelsNothing() {
    // Given
    ReplyStream stream = pool.submit(streamed().cancelOnClose());
    pool.tokens(stream, 1, 0, "all");
    pool.finish(stream, 1, 1);
    pool.read();

    // When
    stream.close();

    // Then
    assertThat(controls()).isEmpty();
    assertThat(MockPool.folded(stream).isEnded()).isTrue();
  }

  @Test
  void closingTheClientCancelsTheRequestsThatAskedForIt() {
    // Given
    pool.submit(streamed());
    ReplyStream bound = pool.submit(streamed().cancelOnClose());

    // When
    pool.client.close();

    // Then
    assertThat(controls()).extracting(ProducerRecord::key).containsExactly(bound.requestId());
  }

  @Test
  void aCancelledSubscriptionCancelsOnlyTheRequestThatAskedForIt() {
    // Given
    ReplyStream free = pool.submit(streamed());
    ReplyStream bound = pool.submit(streamed().cancelOnClose());

    // When
    free.subscribe(new CancellingSubscriber());
    bound.subscribe(new CancellingSubscriber());

    // Then
    await().until(() -> !controls().isEmpty());
    assertThat(controls()).extracting(ProducerRecord::key).containsExactly(bound.requestId());
    assertThat(MockPool.folded(free).isEnded()).isFalse();
  }

  private static void awaitSent(MockPool pool, int records) {
    await().until(() -> pool.producer.history().size() == records);
  }

  private List<ProducerRecord<String, byte[]>> controls() {
    return pool.producer.history().stream()
        .filter(record -> record.topic().equals(Topics.CONTROL))
        .toList();
  }

  private static final class CancellingSubscriber implements Flow.Subscriber<ReplyEvent> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.cancel();
    }

    @Override
    public void onNext(ReplyEvent event) {}

    @Override
    public void onError(Throwable error) {}

    @Override
    public void onComplete() {}
  }
}
