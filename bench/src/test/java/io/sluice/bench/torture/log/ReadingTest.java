package io.sluice.bench.torture.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReadingTest {
  private final Reading reading = new Reading();
  private long offset;

  @Test
  void a_stream_that_goes_on_under_another_lease_is_read_once() {
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
    assertThat(reading.gaps()).singleElement().extracting(Reading.Gap::millis).isEqualTo(30L);
  }

  @Test
  void a_stream_that_begins_anew_forgets_what_it_held() {
    tokens(1, "a", 0, 2, "void");
    claim(2, "b", "restart");
    tokens(2, "b", 0, 1, "all");
    end(2, "b", 1, "");

    assertThat(reading.texts(true)).isEqualTo(Map.of(0, "all"));
    assertThat(reading.restarts()).isEqualTo(1);
    assertThat(reading.wastedTokens()).isEqualTo(2);
  }

  @Test
  void what_follows_a_gap_counts_only_under_a_higher_attempt() {
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
  void a_whole_answer_is_what_its_end_says() {
    tokens(1, "a", 0, 1, "one ");
    end(1, "a", 1, "one two three");

    assertThat(reading.texts(false)).isEqualTo(Map.of(0, "one two three"));
  }

  @Test
  void nothing_counts_after_the_end() {
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
    List<ReplyLine.Piece> pieces =
        text.isEmpty() ? List.of() : List.of(new ReplyLine.Piece(0, text));
    reading.next(
        new ReplyLine(
            "sluice.replies",
            0,
            offset,
            10 * offset,
            "id",
            kind,
            attempt,
            lease,
            mode,
            index,
            count,
            "w1",
            pieces,
            "{}",
            0));
    offset++;
  }
}
