package io.sluice.router.stream;

import static io.sluice.router.stream.StreamFixture.CHAT;
import static io.sluice.router.stream.StreamFixture.START_EPOCH_MILLIS;
import static io.sluice.router.stream.StreamFixture.headers;
import static io.sluice.router.stream.StreamFixture.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.topic.PoolTopics;
import io.sluice.router.TestWorker;
import io.sluice.router.catalog.ServedModels;
import io.sluice.router.request.EndedRequest;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestState;
import io.sluice.router.request.StoredRequest;
import io.sluice.router.request.StoredValues;
import io.sluice.router.request.TrackedRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.Punctuator;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** A task is closed, and another one begins over the same stores. */
@Tag("slow")
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
  void ticksThatFailAgainAndAgainAreCountedAndLoggedOnceAMinute() {
    // Given
    var log = (Logger) LoggerFactory.getLogger(SchedulerProcessor.class);
    var appender = new ListAppender<ILoggingEvent>();
    appender.start();
    log.addAppender(appender);
    begin();

    // When others succeed meanwhile
    for (String id : List.of("a", "b", "c")) {
      tickFailsAt(id);
      tick();
    }

    // Then
    assertThat(fixture.failures).containsExactly("tick", "tick", "tick");
    assertThat(appender.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly("event=tick_failed partition=0");

    // When
    fixture.nanos += TimeUnit.MINUTES.toNanos(1);
    tick();
    tickFailsAt("d");

    // Then
    assertThat(appender.list).hasSize(2);
    log.detachAppender(appender);
  }

  private void tickFailsAt(String requestId) {
    fixture.workers.clear();
    process(
        "sluice.requests.2k",
        CHAT.getBytes(UTF_8),
        headers("request-id", requestId, "timeout-ms", "600000"));
    fixture.join(new TestWorker("for-" + requestId));
    fixture.failing = "placed";
    tick();
    fixture.failing = "";
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{}", "nonsense", "[]", "\"text\"", "", "{\"version\":2}", "\u0001", "\u0007"})
  void aStoredValueThatCannotBeReadIsReportedAndKeptAndEverythingElseGoesOn(String broken) {
    // Given
    begin();
    send("r");
    requests.put("broken", broken.getBytes(UTF_8));

    // When
    restart();
    fixture.join(new TestWorker("w1"));
    send("next");
    tick();

    // Then
    assertThat(fixture.toWorker("w1")).extracting(ProducerRecord::key).contains("r", "next");
    assertThat(requests.get("broken")).isEqualTo(broken.getBytes(UTF_8));
    assertThat(fixture.unreadable).isEqualTo(1);
    assertThat(fixture.replies()).isEmpty();
    ProducerRecord<String, byte[]> letter = fixture.deadLetters().getFirst();
    assertThat(letter.key()).isEqualTo("broken");
    assertThat(letter.value()).isEmpty();
    assertThat(text(letter.headers(), "error-code")).isEqualTo("unprocessed");
    assertThat(text(letter.headers(), "error-message"))
        .startsWith("the stored state of the request cannot be read: ")
        .doesNotEndWith("null");
    assertThat(text(letter.headers(), "source-topic")).endsWith("-requests-changelog");
    assertThat(text(letter.headers(), "source-partition")).isEqualTo("0");
  }

  @Test
  void aRequestWhoseStoredValueCannotBeReadIsNotRunAgainAndItsWorkerGoesOn() {
    // Given
    begin();
    fixture.join(new TestWorker("w1"));
    send("r");
    LeaseRef lease = lease(fixture.toWorker("w1").getFirst());
    requests.put("r", "{}".getBytes(UTF_8));
    restart();

    // When
    send("r");
    outcome(lease, new Outcome.Accepted());
    outcome(lease, new Outcome.Completed("stop", 1, 1, 1));
    process("sluice.control", new Control.Cancel("r").toJson(), headers());
    tick();

    // Then
    assertThat(fixture.toWorker("w1")).isEmpty();
    assertThat(fixture.replies()).isEmpty();
    assertThat(fixture.failures).isEmpty();
    assertThat(requests.get("r")).isEqualTo("{}".getBytes(UTF_8));
  }

  @Test
  void aRequestThatCouldNotBeReadContinuesOnceARouterCanReadIt() {
    // Given
    begin();
    send("r");
    byte[] later = requests.get("r");
    requests.put("r", "{\"version\":2}".getBytes(UTF_8));
    restart();

    // When
    requests.put("r", later);
    restart();
    fixture.join(new TestWorker("w1"));
    tick();

    // Then
    assertThat(fixture.toWorker("w1")).hasSize(1);
    assertThat(fixture.unreadable).isZero();
  }

  @Test
  void aValueThatCannotBeReadIsForgottenOnceNothingCanWaitForItsRequest() {
    // Given
    requests.put("broken", "{}".getBytes(UTF_8));
    begin();

    // When
    pass(PoolTopics.LONGEST_DEADLINE.plus(Duration.ofMinutes(59)));
    boolean isKept = requests.get("broken") != null;
    pass(Duration.ofMinutes(2));

    // Then
    assertThat(isKept).isTrue();
    assertThat(requests.get("broken")).isNull();
  }

  @Test
  void whatWasStoredBeforeAnUpgradeGoesOn() throws IOException {
    // Given
    for (StoredValues.Kept kept : StoredValues.recorded()) {
      requests.put(kept.requestId(), kept.value());
      if (stored(kept.requestId()) instanceof TrackedRequest tracked) {
        fixture.bodies.came(
            tracked.metadata().source(), RequestBody.of(headers(), CHAT.getBytes(UTF_8)));
      }
    }
    begin();
    fixture.join(new TestWorker("w1"));

    // When
    pass(Duration.ofSeconds(1));

    // Then
    assertThat(fixture.unreadable).isZero();
    assertThat(fixture.toWorker("w1")).extracting(ProducerRecord::key).contains("waiting-again");
    assertThat(fixture.replies()).extracting(ProducerRecord::key).containsExactly("ending");
  }

  /** A task that was broken by what it found would be started again and again. */
  @Test
  void noFieldOfAStoredRequestCanKeepATaskFromStarting() throws IOException {
    // Given
    List<StoredValues.Kept> damaged = StoredValues.damaged();
    damaged.forEach(kept -> requests.put(kept.requestId(), kept.value()));

    // When
    begin();
    fixture.join(new TestWorker("w1"));
    tick();
    pass(Duration.ofMinutes(2));
    send("next");

    // Then
    assertThat(fixture.unreadable).isBetween(damaged.size() / 2, damaged.size() - 1);
    assertThat(fixture.failures).isEmpty();
    assertThat(stored("next")).isInstanceOf(TrackedRequest.class);
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

  /** While nothing is under way, ticks are rare. */
  @Test
  void aModelWhoseWorkerHasJustComeIsServedWithoutATickInBetween() {
    // Given
    fixture.served =
        new ServedModels(
            StreamFixture.MODELS, Duration.ofSeconds(10), fixture::fleet, () -> fixture.nanos);
    fixture.join(new TestWorker("w1").models("llama"));
    begin();
    tick();

    // When
    fixture.join(new TestWorker("w2").models("new"));
    fixture.nanos += Duration.ofMillis(250).toNanos();
    process(
        "sluice.requests.2k",
        CHAT.replace("llama", "new").getBytes(UTF_8),
        headers("request-id", "r", "tenant", "acme"));

    // Then
    assertThat(fixture.toWorker("w2")).hasSize(1);
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

  @Test
  void aTaskThatCannotStartGivesEverythingBackSoThatTheNextOneStartsWithoutIt() {
    // Given
    begin();
    fixture.join(new TestWorker("w1").slots(1));
    send("running");
    processor.close();
    context =
        new MockProcessorContext<>() {
          @Override
          public Cancellable schedule(
              Duration interval, PunctuationType type, Punctuator callback) {
            throw new IllegalStateException("a bug");
          }
        };

    // When
    assertThatThrownBy(this::beginHere).hasMessage("a bug");

    // Then
    assertThat(fixture.partitions.current()).isEmpty();
    assertThat(fixture.ledger.at("w1").leases()).isZero();

    // When
    begin();

    // Then
    assertThat(fixture.partitions.current()).containsExactly(0);
    assertThat(fixture.ledger.at("w1").leases()).isEqualTo(1);
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
    beginHere();
  }

  private void beginHere() {
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

  /** In two steps, because a task that was paused skips a tick. */
  private void pass(Duration duration) {
    fixture.nanos += duration.toNanos();
    tick();
    tick();
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
