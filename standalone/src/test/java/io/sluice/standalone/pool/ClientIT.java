package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.RoutingDecision;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.batch.BatchJob;
import io.sluice.producer.batch.BatchProgress;
import io.sluice.producer.batch.BatchReport;
import io.sluice.producer.batch.BatchSpec;
import io.sluice.producer.client.DecisionLog;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.InferenceRequest.Message;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.AttachOptions;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.producer.reply.RequestFailedException;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The client SDK and bulk jobs against a whole pool. */
@ExtendWith(SharedBackends.class)
@TestInstance(Lifecycle.PER_CLASS)
class ClientIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private LocalPool pool;
  private SluiceClient client;

  @BeforeAll
  void start(Backends backends) throws Exception {
    pool = Pools.start(backends, 3);
    client = SluiceClient.connect(ClientConfig.at(pool.kafka()));
  }

  @AfterAll
  void stop() {
    client.close();
    pool.close();
  }

  @Test
  void eventsOfAStreamAddUpToItsAnswer() throws Exception {
    // When
    ReplyStream stream = client.submit(ask("add up", 50).build());
    StringBuilder text = new StringBuilder();
    Optional<ReplyEvent> event = stream.next(PATIENCE);
    while (event.isPresent()) {
      if (event.get() instanceof ReplyEvent.Tokens tokens) {
        text.append(tokens.text());
      }
      event = stream.next(PATIENCE);
    }

    // Then
    Answer answer = stream.answer().get(30, TimeUnit.SECONDS);
    assertThat(answer.text()).contains(text).isNotBlank();
    assertThat(answer.usage().completionTokens()).isEqualTo(50);
  }

  @Test
  void itIsKnownWhyARequestWentWhereItWent() throws Exception {
    // Given
    ReplyStream stream = client.submit(ask("explain", 5).build());
    Answer answer = stream.answer().get(30, TimeUnit.SECONDS);
    ClientConfig config = ClientConfig.at(pool.kafka());

    // When, as decisions are written a little later
    List<RoutingDecision> decisions =
        await()
            .until(() -> DecisionLog.read(config, stream.requestId()), found -> !found.isEmpty());

    // Then
    assertThat(decisions).hasSize(1);
    assertThat(decisions.getFirst().chosen()).isEqualTo(answer.worker().orElseThrow());
    assertThat(decisions.getFirst().candidates())
        .extracting(RoutingDecision.Candidate::worker)
        .contains(answer.worker().orElseThrow());
  }

  @Test
  void manyStreamsOfOneClientDoNotMix() throws Exception {
    List<ReplyStream> streams = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      streams.add(client.submit(ask("question " + i % 6, 30).build()));
    }
    List<String> texts = new ArrayList<>();
    for (ReplyStream stream : streams) {
      texts.add(stream.answer().get(30, TimeUnit.SECONDS).text());
    }
    for (int i = 6; i < texts.size(); i++) {
      assertThat(texts.get(i)).isEqualTo(texts.get(i - 6));
    }
    assertThat(texts.subList(0, 6)).doesNotHaveDuplicates();
  }

  @Test
  void aCancelledStreamEndsAsCancelled() throws Exception {
    ReplyStream stream = client.submit(ask("for ever", 1_500).build());
    assertThat(stream.next(PATIENCE)).isPresent();
    stream.cancel();
    assertThatThrownBy(() -> stream.answer().get(30, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOfSatisfying(
            RequestFailedException.class,
            failure -> assertThat(failure.failure().kind()).isEqualTo(ErrorKind.CANCELLED));
  }

  @Test
  void aReaderThatNeverReadsDelaysNoOtherAndCostsItsRequestNothing() throws Exception {
    // Given a stream that is never asked for an event, whose client takes no more in than it must
    ReplyStream unread;
    try (SluiceClient neverReading =
        SluiceClient.connect(ClientConfig.at(pool.kafka()).withBufferedEvents(2))) {
      unread = neverReading.submit(ask("who reads this", 200).build());

      // When
      Answer other =
          neverReading.submit(ask("and this", 30).build()).answer().get(30, TimeUnit.SECONDS);

      // Then
      assertThat(other.usage().completionTokens()).isEqualTo(30);
      assertThat(
              client.submit(ask("or this", 30).build()).answer().get(30, TimeUnit.SECONDS).text())
          .isNotBlank();
      Answer whole =
          client
              .attach(unread.requestId(), AttachOptions.standard())
              .answer()
              .get(30, TimeUnit.SECONDS);
      assertThat(whole.usage().completionTokens()).isEqualTo(200);
    }
  }

  @Test
  void aBulkJobAnswersEveryLineAndReportsTheBrokenOnes(@TempDir Path directory) throws Exception {
    // Given
    Path input = directory.resolve("in.jsonl");
    Path output = directory.resolve("out.jsonl");
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      lines.add(
          """
          {"custom_id":"line-%d","method":"POST","url":"/v1/chat/completions","body":{"model":"sluice-8b","messages":[{"role":"user","content":"line %d"}],"max_tokens":8}}"""
              .formatted(i, i));
    }
    lines.add("not a request");
    lines.add(lines.getFirst());
    Files.write(input, lines);

    // When
    BatchReport report;
    try (BatchJob job = BatchJob.open(BatchSpec.bulk(input, output))) {
      report = job.run(client, BatchProgress.NONE);
    }

    // Then
    assertThat(report.succeeded()).isEqualTo(200);
    assertThat(report.failed()).isEqualTo(2);
    assertThat(Files.readAllLines(output)).hasSize(202);
  }

  private static InferenceRequest.Builder ask(String prompt, int maxTokens) {
    return InferenceRequest.chat(PoolPlan.MODEL, List.of(Message.user(prompt)))
        .with("max_tokens", maxTokens)
        .with("ignore_eos", true);
  }
}
