package io.sluice.gateway.batch.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.batch.record.BatchLogException;
import io.sluice.gateway.batch.record.Counts;
import io.sluice.gateway.batch.record.CreatedBatch;
import io.sluice.gateway.batch.record.TestBatches;
import io.sluice.gateway.files.StorageException;
import io.sluice.gateway.http.JsonMemory;
import io.sluice.gateway.http.TenantShares;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.AnswerBuilder;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LineSenderTest {
  private static final CreatedBatch BATCH = TestBatches.chats("acme", 0, Long.MAX_VALUE, "file");

  private static final JsonMemory JSON = JsonMemory.of(256 * 1024);
  private static final LineMemory MEMORY = new LineMemory(JSON, "acme");
  private static final CreatedBatch BATCH_OF_A_SECOND = TestBatches.chats("acme", 0, 1_000, "file");
  private static final Clock EXPIRED = Clock.fixed(Instant.ofEpochSecond(2), ZoneOffset.UTC);

  @Test
  void aLineThatIsBeingSentWhenItStopsIsNotReadFurther() {
    // Given a pool that takes a line while the sender stops
    AtomicReference<LineSender> sender = new AtomicReference<>();
    AtomicInteger closed = new AtomicInteger();
    LinePool pool =
        request -> {
          sender.get().stop();
          return new LinePool.Asked(new CompletableFuture<>(), () -> {}, closed::incrementAndGet);
        };
    sender.set(new LineSender(BATCH, BatchRunTest.AS_IT_IS, pool, MEMORY, Clock.systemUTC()));

    // When
    CompletableFuture<LineResult> result = sender.get().send(line());

    // Then
    assertThat(closed).hasValue(1);
    assertThat(result).isNotDone();
  }

  @ParameterizedTest
  @MethodSource("failuresOfOneLine")
  void aRequestThatCannotBePreparedIsAnErrorLine(Runnable failure) {
    // Given
    LineSender sender = sender(failing(failure, () -> {}), answering());

    // When
    LineResult result = sender.send(line()).join();

    // Then
    assertIsInternalError(result);
  }

  @ParameterizedTest
  @MethodSource("failuresOfOneLine")
  void anAnswerThatCannotBeUsedIsAnErrorLine(Runnable failure) {
    // Given
    LineSender sender = sender(failing(() -> {}, failure), answering());

    // When
    LineResult result = sender.send(line()).join();

    // Then
    assertIsInternalError(result);
  }

  @Test
  void anAnswerThatCannotBeReadIsAnErrorLine() {
    // Given
    CompletableFuture<Answer> broken = CompletableFuture.failedFuture(new NullPointerException());
    LineSender sender = sender(BatchRunTest.AS_IT_IS, new ScriptedPool(_ -> broken));

    // When
    LineResult result = sender.send(line()).join();

    // Then
    assertIsInternalError(result);
  }

  @Test
  void aRequestIsParsedOnlyWhileThereIsMemory() throws Exception {
    // Given a large line, and a request that has all memory of the tenant
    byte[] body =
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
            .formatted("a".repeat(70_000))
            .getBytes(UTF_8);
    AtomicInteger asked = new AtomicInteger();
    LinePool pool =
        request -> {
          asked.incrementAndGet();
          return answering().ask(request);
        };
    LineSender sender = sender(BatchRunTest.AS_IT_IS, pool);
    TenantShares.Share held = JSON.take("acme", body);
    FutureTask<LineResult> result =
        new FutureTask<>(() -> sender.send(new InputLine.Request(1, "a", body)).join());
    Thread thread = Thread.ofPlatform().daemon().start(result);

    // When
    assertThatThrownBy(() -> result.get(100, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);

    // Then
    assertThat(asked).hasValue(0);
    held.close();
    assertThat(result.get(10, TimeUnit.SECONDS).isAnswer()).isTrue();
    thread.join();
  }

  @Test
  void aLineThatIsInterruptedWhileItWaitsForMemoryHasNoResult() throws Exception {
    // Given
    byte[] body = ("{\"text\":\"" + "a".repeat(70_000) + "\"}").getBytes(UTF_8);
    LineSender sender = sender(BatchRunTest.AS_IT_IS, answering());

    // When
    try (TenantShares.Share _ = JSON.take("acme", body)) {
      Thread.currentThread().interrupt();

      // Then another run sends it
      assertThat(sender.send(new InputLine.Request(1, "a", body))).isCompletedExceptionally();
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void anAnswerIsParsedOnlyWhileThereIsMemory() throws Exception {
    // Given a large answer, and a request that has all memory of the tenant
    String json = "{\"text\":\"" + "a".repeat(70_000) + "\"}";
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    AtomicReference<InferenceRequest> asked = new AtomicReference<>();
    LineSender sender =
        sender(
            BatchRunTest.AS_IT_IS,
            new ScriptedPool(
                request -> {
                  asked.set(request);
                  return answer;
                }));
    CompletableFuture<LineResult> result = sender.send(line());
    TenantShares.Share held = JSON.take("acme", json.getBytes(UTF_8));

    // When
    answer.complete(AnswerBuilder.builder(ScriptedPool.answer(asked.get())).json(json).build());

    // Then
    assertThatThrownBy(() -> result.get(100, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    held.close();
    assertThat(result.get(10, TimeUnit.SECONDS).isAnswer()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("failuresOfAnyLine")
  void aFailureThatMeetsAnyLineGivesNoResult(Runnable failure) {
    // Given
    LineSender sender = sender(failing(failure, () -> {}), answering());

    // When, Then
    assertThat(sender.send(line())).isCompletedExceptionally();
  }

  @Test
  void aFailureAfterTheStopGivesNoResult() {
    // Given a line whose answer comes only when the sender has stopped
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    LineSender sender = sender(BatchRunTest.AS_IT_IS, new ScriptedPool(_ -> answer));
    CompletableFuture<LineResult> result = sender.send(line());

    // When
    sender.stop();
    answer.completeExceptionally(new IllegalStateException("stopped"));

    // Then
    assertThat(result).isCompletedExceptionally();
  }

  @Test
  void aCancelledLineThatIsNotReadToItsEndHasNoResult() {
    // Given a cancelled line, which the pool has not ended yet
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    LinePool pool =
        _ ->
            new LinePool.Asked(
                answer,
                () -> {},
                () -> answer.completeExceptionally(ScriptedPool.failure(ErrorKind.UNAVAILABLE)));
    LineSender sender = sender(BatchRunTest.AS_IT_IS, pool);
    CompletableFuture<LineResult> result = sender.send(line());
    sender.cancel();

    // When
    sender.stop();

    // Then
    assertThat(answer).isCompletedExceptionally();
    assertThat(result).isNotDone();
  }

  @Test
  void aLineOfAnExpiredBatchGetsTheAnswerThatItHas() {
    // Given a pool that has the answer, and gives it in a moment
    AtomicReference<Duration> patience = new AtomicReference<>();
    LinePool pool =
        request -> {
          patience.set(request.patience(EXPIRED.instant()));
          CompletableFuture<Answer> answer = new CompletableFuture<>();
          return new LinePool.Asked(
              answer, () -> answer.complete(ScriptedPool.answer(request)), () -> {});
        };

    // When
    LineResult result =
        new LineSender(BATCH_OF_A_SECOND, BatchRunTest.AS_IT_IS, pool, MEMORY, EXPIRED)
            .send(line())
            .join();

    // Then
    assertThat(result.isAnswer()).isTrue();
    assertThat(patience.get()).isBetween(Duration.ofSeconds(10), Duration.ofMinutes(1));
  }

  @Test
  void aLineOfAnExpiredBatchThatWasNotRunIsExpired() {
    // Given
    LinePool pool = new ScriptedPool(_ -> new CompletableFuture<>());

    // When
    LineResult result =
        new LineSender(BATCH_OF_A_SECOND, BatchRunTest.AS_IT_IS, pool, MEMORY, EXPIRED)
            .send(line())
            .join();

    // Then
    assertThat(Json.known(new String(result.json(), UTF_8)).at("/error/code").asText())
        .isEqualTo("batch_expired");
    assertThat(result.counts()).isEqualTo(Counts.EXPIRED);
  }

  static Stream<Runnable> failuresOfOneLine() {
    return Stream.of(
        () -> {
          throw new IllegalStateException("cannot");
        },
        () -> {
          throw new StackOverflowError();
        });
  }

  static Stream<Runnable> failuresOfAnyLine() {
    return Stream.of(
        () -> {
          throw new StorageException("away");
        },
        () -> {
          throw new BatchLogException("away", new IOException());
        },
        () -> {
          throw new KafkaException("away");
        });
  }

  private static void assertIsInternalError(LineResult result) {
    JsonNode json = Json.known(new String(result.json(), UTF_8));
    assertThat(json.path("custom_id").asText()).isEqualTo("a");
    assertThat(json.at("/error/code").asText()).isEqualTo("internal_error");
    assertThat(json.path("response").isNull()).isTrue();
    assertThat(result.isAnswer()).isFalse();
    assertThat(result.counts()).isEqualTo(Counts.FAILED);
  }

  /** Does something before it makes a request, and before it makes a result. */
  private static LineFormat failing(Runnable inRequest, Runnable inResult) {
    return new LineFormat() {
      @Override
      public Draft draft(CreatedBatch batch, byte[] body) {
        inRequest.run();
        return BatchRunTest.AS_IT_IS.draft(batch, body);
      }

      @Override
      public String result(CreatedBatch batch, byte[] body, Answer answer) {
        inResult.run();
        return BatchRunTest.AS_IT_IS.result(batch, body, answer);
      }
    };
  }

  private static LineSender sender(LineFormat format, LinePool pool) {
    return new LineSender(BATCH, format, pool, MEMORY, Clock.systemUTC());
  }

  private static LinePool answering() {
    return new ScriptedPool(
        request -> CompletableFuture.completedFuture(ScriptedPool.answer(request)));
  }

  private static InputLine.Request line() {
    String body = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
    return new InputLine.Request(7, "a", body.getBytes(UTF_8));
  }
}
