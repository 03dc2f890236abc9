package io.sluice.router.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.protocol.RoutingDecision;
import io.sluice.common.protocol.Topics;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.router.TestWorker;
import io.sluice.router.classify.Classification;
import io.sluice.router.policy.Candidate;
import io.sluice.router.policy.Candidates;
import io.sluice.router.policy.Decision;
import io.sluice.router.policy.RequestProfile;
import io.sluice.router.policy.RoutingPolicy;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestMetadataBuilder;
import io.sluice.router.schedule.task.DispatchEvent;
import io.sluice.router.thread.BackgroundThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class DecisionPublisherTest {
  private static final long NOW = 1_800_000_000_000L;
  private static final int WORKERS = 40;
  private static final RequestProfile PROFILE =
      new RequestProfile(
          "llama",
          "8k",
          3_000,
          500,
          List.of(),
          Priority.INTERACTIVE,
          Set.of(),
          Optional.empty(),
          PrefixChain.NONE);

  private final MockProducer<String, byte[]> producer =
      new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());

  @Test
  void aDecisionIsExplainedUnderItsRequestsId() {
    // Given
    DispatchEvent placed = placed("r-1");

    // When
    List<ProducerRecord<String, byte[]>> written;
    try (var publisher = new DecisionPublisher(producer, "router-0", new BackgroundThreads())) {
      publisher.dispatched(placed);
      await().until(() -> !producer.history().isEmpty());
      written = producer.history();
    }

    // Then
    assertThat(written).hasSize(1);
    assertThat(written.getFirst().topic()).isEqualTo(Topics.DECISIONS);
    assertThat(written.getFirst().key()).isEqualTo("r-1");
    RoutingDecision decision = RoutingDecision.parse(written.getFirst().value()).orElseThrow();
    assertThat(decision.router()).isEqualTo("router-0");
    assertThat(decision.waitedMillis()).isEqualTo(25);
    assertThat(decision.prefixWaitMillis()).isEqualTo(15);
    assertThat(decision.attempt()).isEqualTo(2);
    assertThat(decision.chosen()).isEqualTo(placed.worker());
  }

  @Test
  void theBestCandidatesComeFirstAndOfAManyTheRestIsOnlyCounted() {
    // When
    RoutingDecision decision = Explanation.of(placed("r-1"), "router-0");

    // Then
    assertThat(decision.candidates()).hasSize(16);
    assertThat(decision.candidates())
        .extracting(RoutingDecision.Candidate::score)
        .isSortedAccordingTo((a, b) -> Double.compare(b, a));
    assertThat(decision.candidates().getFirst().scores()).containsKeys("ttft", "load");
    assertThat(decision.ruledOut()).containsEntry("model", 3);
  }

  @Test
  void aKafkaThatIsAwayCostsDecisionsAndNothingElse() {
    // Given
    producer.sendException = new TimeoutException("away");

    // When
    try (var publisher = new DecisionPublisher(producer, "router-0", new BackgroundThreads())) {
      publisher.dispatched(placed("r-1"));

      // Then
      await().until(() -> publisher.dropped() == 1);

      // When
      producer.sendException = null;
      publisher.dispatched(placed("r-2"));

      // Then
      await().until(() -> producer.history().size() == 1);
    }
  }

  @Test
  void anErrorCostsOneDecisionAndThoseAfterItAreWritten() {
    // Given
    var isBroken = new AtomicBoolean(true);
    var broken =
        new MockProducer<String, byte[]>(
            true, null, new StringSerializer(), new ByteArraySerializer()) {
          @Override
          public synchronized Future<RecordMetadata> send(
              ProducerRecord<String, byte[]> record, Callback callback) {
            if (isBroken.getAndSet(false)) {
              throw new NoClassDefFoundError("a class is damaged");
            }
            return super.send(record, callback);
          }
        };
    var threads = new BackgroundThreads();

    // When
    try (var publisher = new DecisionPublisher(broken, "router-0", threads)) {
      publisher.dispatched(placed("r-1"));
      publisher.dispatched(placed("r-2"));

      // Then
      await().until(() -> broken.history().size() == 1);
      assertThat(publisher.dropped()).isEqualTo(1);
      assertThat(threads.failed()).isEmpty();
    }
  }

  private static DispatchEvent placed(String requestId) {
    RequestMetadata metadata =
        RequestMetadataBuilder.builder()
            .requestId(requestId)
            .requestPartition(0)
            .source(new RequestMetadata.Source("sluice.requests.8k", 0, 1))
            .replyTo(new ReplyAddress(Topics.REPLIES, 0))
            .endpoint(Endpoint.CHAT_COMPLETIONS)
            .model("llama")
            .lane("8k")
            .promptTokens(3_000)
            .outputTokens(500)
            .classification(Classification.NONE)
            .priority(Priority.INTERACTIVE)
            .tenant("default")
            .appendTimeMillis(NOW)
            .deadlineEpochMillis(NOW + 60_000)
            .firstTokenByMillis(OptionalLong.empty())
            .fresh(true)
            .estimatedTokens(0)
            .build();
    List<Candidate> fleet = new ArrayList<>();
    for (int number = 0; number < WORKERS; number++) {
      TestWorker worker = new TestWorker("w" + number);
      if (number < 3) {
        worker.models("other");
      }
      fleet.add(
          new Candidate(worker.snapshot(), number % 7, 0, false, true, false, BreakerPhase.CLOSED));
    }
    Decision decision =
        RoutingPolicy.standard().decide(PROFILE, Candidates.of(fleet), new Random(1));
    return new DispatchEvent(metadata, decision, 2, Optional.empty(), NOW + 25, 15);
  }
}
