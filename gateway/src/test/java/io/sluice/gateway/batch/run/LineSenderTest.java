package io.sluice.gateway.batch.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Json;
import io.sluice.gateway.access.KeyLimits;
import io.sluice.gateway.batch.record.BatchId;
import io.sluice.gateway.batch.record.CreatedBatch;
import io.sluice.producer.batch.BatchLine;
import java.time.Clock;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class LineSenderTest {
  private static final String CHAT = "/v1/chat/completions";
  private static final CreatedBatch BATCH =
      new CreatedBatch(
          BatchId.next(),
          "acme",
          0,
          Long.MAX_VALUE,
          "file",
          CHAT,
          "24h",
          Map.of(),
          Map.of(),
          KeyLimits.NONE,
          OptionalLong.empty());

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
    sender.set(new LineSender(BATCH, BatchRunTest.AS_IT_IS, pool, Clock.systemUTC()));

    // When
    CompletableFuture<LineResult> result = sender.get().send(line(), 1);

    // Then
    assertThat(closed).hasValue(1);
    assertThat(result).isNotDone();
  }

  private static BatchLine.Item line() {
    String body = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
    return new BatchLine.Item("a", CHAT, Json.known(body));
  }
}
