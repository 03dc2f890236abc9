package io.sluice.router.stream;

import io.sluice.common.protocol.Topics;
import io.sluice.router.lease.EndOffsetWatermark;
import io.sluice.router.lease.OutcomeWatermark;
import io.sluice.router.log.EndOffsets;
import org.apache.kafka.common.TopicPartition;

/** How far one task has read its partition of the outcomes. Not thread-safe. */
final class OutcomesRead implements AutoCloseable {
  private final TopicPartition partition;
  private final EndOffsets ends;
  private final StartPositions starts;
  private final EndOffsetWatermark heard;

  OutcomesRead(int partition, EndOffsets ends, StartPositions starts, long nowNanos) {
    this.partition = new TopicPartition(Topics.OUTCOMES, partition);
    this.ends = ends;
    this.starts = starts;
    this.heard = new EndOffsetWatermark(nowNanos);
    ends.watch(this.partition);
  }

  OutcomeWatermark watermark() {
    return heard;
  }

  /** Takes the current end of the partition into account. Call this often. */
  void update() {
    starts.of(partition).ifPresent(heard::read);
    ends.of(partition).ifPresent(end -> heard.ended(end.offset(), end.askedNanos()));
  }

  /** An outcome was processed. */
  void processed(long offset) {
    heard.read(offset + 1);
  }

  @Override
  public void close() {
    ends.unwatch(partition);
  }
}
