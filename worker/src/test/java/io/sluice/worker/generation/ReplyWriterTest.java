package io.sluice.worker.generation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.reply.TokenNotes;
import io.sluice.worker.reply.ReplyLog;
import io.sluice.worker.reply.ReplyRecord;
import io.sluice.worker.testing.ManualTime;
import io.sluice.worker.testing.Surroundings;
import io.sluice.worker.trace.AttemptTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What is in the log when a broker goes away for a while: any record may be lost, in any order. */
class ReplyWriterTest {
  private static final byte[] CHUNK = {'{', '}'};

  private final ManualTime time = new ManualTime();
  private final List<CompletableFuture<Long>> written = new ArrayList<>();
  private final ReplyWriter writer =
      new ReplyWriter(
          new OpenLog(),
          time,
          new AssignedRequest(
              new Surroundings().assignment(1, "a", true),
              CHUNK,
              Optional.empty(),
              AttemptTrace.NONE,
              0),
          "m");

  @Test
  void anAnswerWithALostRecordIsNeverWhole() {
    // Given
    tokens();
    tokens();
    tokens();
    CompletableFuture<Long> end = writer.finish(CHUNK);

    // When
    written.get(1).completeExceptionally(new IllegalStateException("the broker was away"));
    written.get(2).complete(12L);
    written.get(3).complete(13L);

    // Then
    assertThat(end).isNotDone();
    written.get(0).complete(10L);
    assertThat(end).isCompletedExceptionally();
    assertThat(writer.acknowledged()).isEqualTo(1);
  }

  @Test
  void aLostRecordIsKnownWhileEarlierOnesAreOnTheirWay() {
    tokens();
    tokens();

    written.get(1).completeExceptionally(new IllegalStateException("the broker was away"));

    assertThat(writer.hasFailed()).isTrue();
  }

  @Test
  void anErrorEndsTheRequestDespiteLostRecords() {
    tokens();
    CompletableFuture<Long> end = writer.error(CHUNK);

    written.get(0).completeExceptionally(new IllegalStateException("the broker was away"));
    written.get(1).complete(11L);

    assertThat(end).isCompletedWithValue(11L);
  }

  private void tokens() {
    writer.tokens(1, List.of(), TokenNotes.NONE, CHUNK);
  }

  /** Its records are in the log when the test says so. */
  private final class OpenLog implements ReplyLog {
    @Override
    public CompletableFuture<Long> append(ReplyRecord record) {
      written.add(new CompletableFuture<>());
      return written.getLast();
    }

    @Override
    public CompletableFuture<Long> report(int requestPartition, Outcome outcome) {
      return new CompletableFuture<>();
    }

    @Override
    public void progress(int requestPartition, LeaseRef lease, Outcome.Progress progress) {}
  }
}
