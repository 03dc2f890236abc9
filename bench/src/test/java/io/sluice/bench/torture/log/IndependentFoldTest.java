package io.sluice.bench.torture.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.torture.load.RecordPosition;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class IndependentFoldTest {
  private final IndependentFold reading = new IndependentFold();
  private long offset;

  @Test
  void aStreamThatGoesOnUnderAnotherLeaseIsReadOnce() {
    tokens(1, "a", 0, 2, "one ");
    tokens(1, "a", 2, 1, "two ");
    claim(2, "b", "resume");
    tokens(1, "a", 3, 1, "zombie");
    tokens(2, "b", 3, 1, "three");
    end(2, "b", 4, "!");

    assertThat(reading.texts(true)).isEqualTo(Map.of(0, "one two three!"));
    assertThat(reading.tokens()).isEqualTo(4);
    assertThat(reading.resumes()).isEqualTo(1);
    assertThat(reading.wastedTokens()).isEqualTo(1);
    assertThat(reading.pauses())
        .singleElement()
        .extracting(IndependentFold.Pause::millis)
        .isEqualTo(30L);
  }

  @Test
  void aStreamThatBeginsAgainForgetsWhatItHeld() {
    tokens(1, "a", 0, 2, "void");
    claim(2, "b", "restart");
    tokens(2, "b", 0, 1, "all");
    end(2, "b", 1, "");

    assertThat(reading.texts(true)).isEqualTo(Map.of(0, "all"));
    assertThat(reading.restarts()).isEqualTo(1);
    assertThat(reading.wastedTokens()).isEqualTo(2);
  }

  @Test
  void whatFollowsAGapCountsOnlyUnderAHigherAttempt() {
    tokens(1, "a", 0, 1, "one ");
    tokens(1, "a", 2, 1, "three");
    end(1, "a", 3, "");
    assertThat(reading.isOver()).isFalse();

    claim(2, "b", "resume");
    end(2, "b", 1, "");
    assertThat(reading.isOver()).isTrue();
    assertThat(reading.tokens()).isEqualTo(1);
  }

  @Test
  void aWholeAnswerIsWhatItsEndSays() {
    tokens(1, "a", 0, 1, "one ");
    end(1, "a", 1, "one two three");

    assertThat(reading.texts(false)).isEqualTo(Map.of(0, "one two three"));
  }

  @Test
  void nothingCountsAfterTheEnd() {
    end(1, "a", 0, "done");
    tokens(2, "b", 0, 1, "more");

    assertThat(reading.texts(true)).isEqualTo(Map.of(0, "done"));
    assertThat(reading.attempts()).isEqualTo(1);
  }

  private void tokens(int attempt, String lease, int index, int count, String text) {
    next("tokens", attempt, lease, "", index, count, text);
  }

  private void claim(int attempt, String lease, String mode) {
    next("claim", attempt, lease, mode, -1, -1, "");
  }

  private void end(int attempt, String lease, int index, String text) {
    next("final", attempt, lease, "", index, -1, text);
  }

  private void next(
      String kind, int attempt, String lease, String mode, int index, int count, String text) {
    List<ReplyRecord.Piece> pieces =
        text.isEmpty() ? List.of() : List.of(new ReplyRecord.Piece(0, text));
    reading.next(
        new ReplyRecord(
            new RecordPosition("sluice.replies", 0, offset),
            10 * offset,
            new ReplyRecord.Headers("id", kind, attempt, lease, mode, index, count, "w1"),
            new ReplyRecord.Payload(pieces, "{}", 0)));
    offset++;
  }
}
