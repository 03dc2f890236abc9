package io.sluice.worker.answer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import io.sluice.worker.engine.Chunk;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.testing.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TokenGathererTest {
  private static final Duration INTERVAL = Duration.ofMillis(10);
  private static final Duration WHOLE_INTERVAL = Duration.ofSeconds(2);

  private final ManualTime time = new ManualTime();
  private int tokens;

  @Test
  void theFirstTokenLeavesAtOnce() {
    // Given
    TokenGatherer gatherer = new TokenGatherer(Gathering.ofStream(INTERVAL), time);

    // When
    gatherer.add(token());

    // Then
    assertThat(gatherer.untilDue()).isZero();
  }

  @Test
  void tokensOfASlowStreamLeaveAtOnce() {
    // Given
    TokenGatherer gatherer = new TokenGatherer(Gathering.ofStream(INTERVAL), time);
    gatherer.add(token());
    gatherer.take(Endpoint.CHAT_COMPLETIONS);

    // When
    time.advance(INTERVAL);
    gatherer.add(token());

    // Then
    assertThat(gatherer.untilDue()).isZero();
  }

  @Test
  void tokensOfAFastStreamShareARecord() {
    // Given
    TokenGatherer gatherer = new TokenGatherer(Gathering.ofStream(INTERVAL), time);
    gatherer.add(token());
    gatherer.take(Endpoint.CHAT_COMPLETIONS);

    // When
    time.advance(Duration.ofMillis(4));
    gatherer.add(token());
    time.advance(Duration.ofMillis(4));
    gatherer.add(token());

    // Then
    assertThat(gatherer.untilDue()).isEqualTo(Duration.ofMillis(2));
    assertThat(gatherer.take(Endpoint.CHAT_COMPLETIONS).count()).isEqualTo(2);
  }

  @Test
  void tokensThatNoReaderWaitsForAreGatheredAnEighthOfTheIntervalFromTheFirst() {
    // Given
    TokenGatherer gatherer = new TokenGatherer(Gathering.ofWholeAnswer(WHOLE_INTERVAL), time);
    time.advance(Duration.ofMinutes(1));

    // When
    gatherer.add(token());
    time.advance(Duration.ofMillis(50));

    // Then
    assertThat(gatherer.untilDue()).isEqualTo(Duration.ofMillis(200));
  }

  @Test
  void laterTokensThatNoReaderWaitsForAreGatheredForTheInterval() {
    // Given
    TokenGatherer gatherer = new TokenGatherer(Gathering.ofWholeAnswer(WHOLE_INTERVAL), time);
    gatherer.add(token());
    gatherer.take(Endpoint.CHAT_COMPLETIONS);

    // When
    time.advance(Duration.ofMillis(500));
    gatherer.add(token());

    // Then
    assertThat(gatherer.untilDue()).isEqualTo(Duration.ofMillis(1_500));
  }

  @Test
  void manyBytesOfAStreamLeaveEarlier() {
    // Given
    TokenGatherer gatherer = new TokenGatherer(Gathering.ofStream(INTERVAL), time);
    gatherer.add(token());
    gatherer.take(Endpoint.CHAT_COMPLETIONS);

    // When
    gatherer.add(token(31 * 1024));
    Duration before = gatherer.untilDue();
    gatherer.add(token(1024));

    // Then
    assertThat(before).isEqualTo(INTERVAL);
    assertThat(gatherer.untilDue()).isZero();
  }

  private EngineEvent.Tokens token() {
    return token(10);
  }

  private EngineEvent.Tokens token(int bytes) {
    ObjectNode chunk = Json.mapper().createObjectNode();
    chunk.putArray("choices").addObject().put("index", 0).putObject("delta").put("content", "a");
    return new EngineEvent.Tokens(
        new Chunk.Tree(chunk), ++tokens, List.of(), Optional.empty(), bytes);
  }
}
