package io.sluice.bench.torture.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.PrimitiveRef;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.LogValidator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SkewedTimeTest {
  private static final Duration OFF = Duration.ofHours(-3);

  @TempDir private Path folder;

  @Test
  void onlyWhatStampsRecordsOfProducersSeesTheSkewedClock() throws Exception {
    var file = new ClockFile(folder.resolve("b1.clock"));
    file.set(OFF);
    assertThat(file.offset()).isEqualTo(OFF);
    var time = new SkewedTime(file);

    var stamp = new AtomicLong();
    var other = new AtomicLong();
    Thread.ofPlatform()
        .name("data-plane-kafka-request-handler-0")
        .start(
            () -> {
              stamp.set(stampOfAppend(time));
              other.set(time.milliseconds());
            })
        .join();

    assertThat(stamp.get()).isCloseTo(System.currentTimeMillis() + OFF.toMillis(), within(60_000L));
    assertThat(other.get()).isCloseTo(System.currentTimeMillis(), within(60_000L));
    assertThat(stampOfAppend(time)).isCloseTo(System.currentTimeMillis(), within(60_000L));
    assertThat(time.milliseconds()).isCloseTo(System.currentTimeMillis(), within(60_000L));
  }

  private static long stampOfAppend(Time time) {
    return new LogValidator(
            MemoryRecords.withRecords(
                Compression.NONE, new SimpleRecord("a".getBytes(StandardCharsets.UTF_8))),
            new TopicPartition("a", 0),
            time,
            CompressionType.NONE,
            Compression.NONE,
            false,
            RecordBatch.CURRENT_MAGIC_VALUE,
            TimestampType.LOG_APPEND_TIME,
            Long.MAX_VALUE,
            Long.MAX_VALUE,
            0,
            AppendOrigin.CLIENT)
        .validateMessagesAndAssignOffsets(
            PrimitiveRef.ofLong(0), new NoMetrics(), BufferSupplier.NO_CACHING)
        .logAppendTimeMs();
  }

  private static final class NoMetrics implements LogValidator.MetricsRecorder {
    @Override
    public void recordInvalidMagic() {}

    @Override
    public void recordInvalidOffset() {}

    @Override
    public void recordInvalidSequence() {}

    @Override
    public void recordInvalidChecksums() {}

    @Override
    public void recordNoKeyCompactedTopic() {}
  }
}
