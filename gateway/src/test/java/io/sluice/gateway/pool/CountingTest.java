package io.sluice.gateway.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.AnswerBuilder;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.RequestFailedException;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CountingTest {
  @Test
  void anAnswerCountsWithWhatTheEngineCounted() {
    assertThat(Counting.WHOLE.of(answer(Usage.of(3, 5)), null, 0)).isEqualTo(Spent.told(3, 5));
    assertThat(Counting.STREAMED.of(answer(Usage.NONE), null, 9)).isEqualTo(Spent.UNKNOWN);
  }

  @ParameterizedTest
  @EnumSource(names = {"CANCELLED", "DEADLINE_EXCEEDED"})
  void whatWasStoppedCountsWithWhatItMadeIfThatIsKnown(ErrorKind kind) {
    assertThat(spent(Counting.STREAMED, kind, false, 7)).isEqualTo(Spent.until(7));
    assertThat(spent(Counting.STREAMED, kind, false, 0)).isEqualTo(Spent.until(0));
    assertThat(spent(Counting.POSTED, kind, false, 7)).isEqualTo(Spent.until(7));
    assertThat(spent(Counting.WHOLE, kind, false, 0)).isEqualTo(Spent.UNKNOWN);
  }

  @Test
  void whatFailedCountsNothing() {
    assertThat(spent(Counting.STREAMED, ErrorKind.ENGINE_ERROR, false, 7)).isEqualTo(Spent.NOTHING);
    assertThat(spent(Counting.POSTED, ErrorKind.WORKER_LOST, false, 7)).isEqualTo(Spent.NOTHING);
  }

  @Test
  void whatOnlyLostItsReaderCountsAsFarAsItIsKnown() {
    assertThat(spent(Counting.STREAMED, ErrorKind.UNAVAILABLE, true, 7)).isEqualTo(Spent.until(7));
    assertThat(spent(Counting.STREAMED, ErrorKind.UNAVAILABLE, true, 0)).isEqualTo(Spent.NOTHING);
    assertThat(spent(Counting.POSTED, ErrorKind.UNAVAILABLE, true, 7)).isEqualTo(Spent.UNKNOWN);
  }

  @Test
  void whoFollowsCountsNothing() {
    assertThat(spent(Counting.ELSEWHERE, ErrorKind.CANCELLED, false, 7)).isEqualTo(Spent.NOTHING);
  }

  /** The failure comes as from a {@code ReplyStream}, whose future is a copy. */
  private static Spent spent(Counting counting, ErrorKind kind, boolean isLocal, long tokens) {
    CompletableFuture<Answer> ended = new CompletableFuture<>();
    ended.completeExceptionally(
        new RequestFailedException(
            new ReplyEvent.Failed(kind, "", OptionalLong.empty(), "", isLocal)));
    return ended.copy().handle((answer, failure) -> counting.of(answer, failure, tokens)).join();
  }

  private static Answer answer(Usage usage) {
    return AnswerBuilder.builder()
        .requestId("id")
        .text("")
        .finishReason("stop")
        .usage(usage)
        .json("")
        .fallback(false)
        .attempts(1)
        .firstTokenMillis(OptionalLong.empty())
        .latencyMillis(OptionalLong.empty())
        .build();
  }
}
