package io.sluice.router.stream;

import static io.sluice.router.stream.StreamFixture.CHAT;
import static io.sluice.router.stream.StreamFixture.START_EPOCH_MILLIS;
import static io.sluice.router.stream.StreamFixture.headers;
import static io.sluice.router.stream.StreamFixture.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.router.TestWorker;
import io.sluice.router.request.EndedRequest;
import io.sluice.router.request.RequestState;
import io.sluice.router.request.StoredRequest;
import io.sluice.router.request.TrackedRequest;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;

/** A task is closed, and another one begins over the same stores. */
class SchedulerProcessorTest {
  private final KeyValueStore<String, byte[]> requests = store("requests");
  private StreamFixture fixture = new StreamFixture();
  private MockProcessorContext<Void, Void> context;
  private SchedulerProcessor processor;

  @Test
  void aRunningRequestIsKeptOverARestart() {
    // Given
    begin();
    fixture.join(new TestWorker("w1").slots(1));
    send("r");
    LeaseRef lease = lease(fixture.toWorker("w1").getFirst());

    // When
    restart();
    send("next");
    int sentWhileItRuns = fixture.toWorker("w1").size();
    outcome(lease, new Outcome.Completed("stop", 1, 1, 1));

    // Then
    assertThat(sentWhileItRuns).isZero();
    assertThat(stored("r")).isInstanceOf(EndedRequest.class);
    assertThat(lease(fixture.toWorker("w1").getFirst()).requestId()).isEqualTo("next");
  }

  @Test
  void aWaitingRequestIsSentAfterARestartWithItsBodyAndHeaders() {
    // Given
    begin();
    send("r");

    // When
    restart();
    fixture.join(new TestWorker("w1"));
    tick();

    // Then
    ProducerRecord<String, byte[]> sent = fixture.toWorker("w1").getFirst();
    assertThat(new String(sent.value(), UTF_8)).isEqualTo(CHAT);
    assertThat(text(sent.headers(), "tenant")).isEqualTo("acme");
    assertThat(text(sent.headers(), "fresh")).isEqualTo("false");
  }

  @Test
  void aStoredValueThatCannotBeReadDoesNotKeepTheOthersFromBeingServed() {
    // Given
    begin();
    send("r");
    requests.put("broken", "nonsense".getBytes(UTF_8));

    // When
    restart();
    fixture.join(new TestWorker("w1"));
    tick();

    // Then
    assertThat(fixture.toWorker("w1")).hasSize(1);
  }

  @Test
  void aRedeliveredRecordIsNotSentTwice() {
    // Given
    begin();
    fixture.join(new TestWorker("w1"));
    send("r");

    // When
    restart();
    send("r");

    // Then
    assertThat(fixture.toWorker("w1")).isEmpty();
  }

  @Test
  void aTerminalRecordThatWasNotAcknowledgedIsSentAgainByTheNextTask() {
    // Given
    begin();
    process("sluice.requests.2k", "not JSON".getBytes(UTF_8), headers("request-id", "bad"));
    var before = fixture.replies().getFirst();

    // When
    restart();
    var after = fixture.replies().getFirst();
    fixture.producer.completeNext();
    fixture.producer.completeNext();
    tick();

    // Then
    assertThat(after.value()).isEqualTo(before.value());
    assertThat(text(after.headers(), "lease")).isEqualTo(text(before.headers(), "lease"));
    assertThat(stored("bad")).isInstanceOf(EndedRequest.class);
  }

  @Test
  void theTaskTellsWhichPartitionItOwnsAndGivesEverythingBackAtItsEnd() {
    // Given
    begin();
    fixture.join(new TestWorker("w1").slots(1));
    send("running");
    send("waiting");
    boolean owned = fixture.partitions.current().contains(0);

    // When
    processor.close();

    // Then
    assertThat(owned).isTrue();
    assertThat(fixture.startedPartitions).containsExactly(0);
    assertThat(fixture.partitions.current()).isEmpty();
    assertThat(fixture.ledger.at("w1").leases()).isZero();
    assertThat(fixture.backlog.pending()).isZero();
  }

  /** Another process takes the task over, with what the changelog holds. */
  private void restart() {
    processor.close();
    StreamFixture next = new StreamFixture();
    fixture.workers.values().forEach(next::join);
    next.bodies = fixture.bodies;
    next.bodies.dropAll();
    fixture = next;
    begin();
  }

  private void begin() {
    context = new MockProcessorContext<>();
    context.setCurrentSystemTimeMs(START_EPOCH_MILLIS);
    context.addStateStore(requests);
    processor = new SchedulerProcessor(fixture.parts(), List.of("sluice.requests.2k"));
    processor.init(context);
  }

  private void send(String requestId) {
    process(
        "sluice.requests.2k",
        CHAT.getBytes(UTF_8),
        headers("request-id", requestId, "tenant", "acme"));
  }

  private void outcome(LeaseRef lease, Outcome.Event event) {
    process("sluice.outcomes", new Outcome(lease, event).toJson(), headers());
  }

  private void process(String topic, byte[] value, Headers headers) {
    context.setRecordMetadata(topic, 0, 5);
    processor.process(new Record<>(new byte[0], value, START_EPOCH_MILLIS, headers));
  }

  private void tick() {
    fixture.nanos += TimeUnit.MILLISECONDS.toNanos(20);
    context.setCurrentSystemTimeMs(context.currentSystemTimeMs() + 20);
    context
        .scheduledPunctuators()
        .forEach(scheduled -> scheduled.getPunctuator().punctuate(context.currentSystemTimeMs()));
  }

  private RequestState state(String requestId) {
    return ((TrackedRequest) stored(requestId)).state();
  }

  private static LeaseRef lease(ProducerRecord<String, byte[]> sent) {
    return Assignment.parseLease(sent.headers()).orElseThrow();
  }

  private StoredRequest stored(String requestId) {
    return StoredRequest.fromBytes(requestId, requests.get(requestId));
  }

  private static KeyValueStore<String, byte[]> store(String name) {
    KeyValueStore<String, byte[]> store =
        Stores.keyValueStoreBuilder(
                Stores.inMemoryKeyValueStore(name), Serdes.String(), Serdes.ByteArray())
            .withLoggingDisabled()
            .build();
    var context = new MockProcessorContext<Void, Void>();
    store.init(context.getStateStoreContext(), store);
    return store;
  }
}
