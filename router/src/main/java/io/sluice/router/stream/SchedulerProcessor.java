package io.sluice.router.stream;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.ProgressReport;
import io.sluice.common.protocol.Topics;
import io.sluice.common.time.LogInterval;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import io.sluice.router.schedule.Scheduler;
import io.sluice.router.schedule.task.SchedulerListener;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.errors.TaskMigratedException;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the {@link Scheduler} of one partition on the stream thread that owns the partition. */
final class SchedulerProcessor implements Processor<byte[], byte[], Void, Void> {
  static final String REQUESTS_STORE = "requests";
  private static final Duration TICK = Duration.ofMillis(20);
  private static final Duration TICK_FAILURE_LOG_INTERVAL = Duration.ofMinutes(1);
  private static final Logger log = LoggerFactory.getLogger(SchedulerProcessor.class);

  private final StreamParts parts;
  private final List<String> lanes;
  private final FailedRecords failed;
  private final long pausesBefore;
  private final LogInterval tickFailureLog;
  private @Nullable Task task;

  /** What exists while the task runs. */
  private record Task(
      ProcessorContext<Void, Void> context,
      StreamsRequestStore store,
      Scheduler scheduler,
      StreamEffects effects,
      OutcomesRead outcomes) {}

  /**
   * Creates a processor without a task.
   *
   * @param lanes the request topics
   */
  SchedulerProcessor(StreamParts parts, List<String> lanes) {
    this.parts = parts;
    this.lanes = lanes;
    this.failed = new FailedRecords(parts.writer(), parts.reader());
    this.pausesBefore = parts.pauses().getAsLong();
    this.tickFailureLog = new LogInterval(TICK_FAILURE_LOG_INTERVAL, parts.nanoClock());
  }

  @Override
  public void init(ProcessorContext<Void, Void> context) {
    int partition = context.taskId().partition();
    var store = new StreamsRequestStore(context.getStateStore(REQUESTS_STORE));
    String changelog = "%s-%s-changelog".formatted(context.applicationId(), REQUESTS_STORE);
    var effects =
        new StreamEffects(
            parts.time()::millis, parts.writer(), new TopicPartition(changelog, partition));
    TimePoint now = now();
    var outcomes = new OutcomesRead(partition, parts.ends(), parts.starts(), now.nanos());
    var scheduler =
        new Scheduler(partition, store, effects, parts.shared(), outcomes.watermark(), now);
    task = new Task(context, store, scheduler, effects, outcomes);
    try {
      start(task, partition);
    } catch (RuntimeException e) {
      // Kafka Streams does not close a task that could not start.
      close();
      throw e;
    }
  }

  private void start(Task starting, int partition) {
    parts.partitions().started(partition);
    lanes.forEach(lane -> parts.appendTimes().begin(new TopicPartition(lane, partition)));
    starting.scheduler().recover(now());
    starting.store().flush();
    starting.context().schedule(TICK, PunctuationType.WALL_CLOCK_TIME, timestamp -> tick());
  }

  @Override
  public void process(Record<byte[], byte[]> record) {
    checkOwnership();
    Task running = running();
    note(running, false);
    try {
      process(running, record, now());
    } catch (KafkaException e) {
      // Exceptions of Kafka itself, such as a revoked task, are handled by Kafka Streams.
      throw e;
    } catch (RuntimeException e) {
      setAside(running, record, e);
    } finally {
      running.store().flush();
    }
  }

  /**
   * The router's own code failed on a record, and would fail again. The partition continues without
   * it.
   */
  private void setAside(Task running, Record<byte[], byte[]> record, RuntimeException failure) {
    RecordMetadata place = running.context().recordMetadata().orElseThrow();
    Optional<RequestMetadata> metadata = failed.metadata(record, place);
    boolean livesOn = metadata.map(running.scheduler()::livesOn).orElse(false);
    failed.setAside(record, place, livesOn ? Optional.empty() : metadata, failure);
    parts.shared().listener().failed(place.topic());
  }

  private void process(Task running, Record<byte[], byte[]> record, TimePoint now) {
    RecordMetadata metadata = running.context().recordMetadata().orElseThrow();
    switch (metadata.topic()) {
      case Topics.OUTCOMES -> {
        // Before the outcome is processed: one that cannot be processed counts as read, because it
        // does not come again.
        running.outcomes().processed(metadata.offset());
        List<Outcome> outcomes = ProgressReport.parse(value(record));
        understood(outcomes.stream().findFirst(), metadata);
        outcomes.forEach(outcome -> running.scheduler().outcome(outcome, now));
      }
      case Topics.CONTROL ->
          understood(Control.parse(value(record)), metadata)
              .ifPresent(control -> running.scheduler().control(control, keptUntil(record), now));
      default -> request(running, record, metadata, now);
    }
    acknowledge(running, now);
  }

  /** Returns the time until which a control message counts, if it has one. */
  private static OptionalLong keptUntil(Record<byte[], byte[]> record) {
    return HeaderText.getLong(record.headers(), HeaderNames.DEADLINE);
  }

  private void request(
      Task running, Record<byte[], byte[]> record, RecordMetadata metadata, TimePoint now) {
    // While nothing is under way, ticks are too rare to know a worker that has just come.
    parts.shared().refreshServed();
    var source =
        new RequestMetadata.Source(metadata.topic(), metadata.partition(), metadata.offset());
    var reading = parts.reader().read(source, record.headers(), record.value(), record.timestamp());
    var body = RequestBody.of(record.headers(), value(record));
    running.scheduler().request(reading, body, now);
  }

  @Override
  public void close() {
    if (task != null) {
      int partition = task.context().taskId().partition();
      parts.partitions().stopped(partition);
      lanes.forEach(lane -> parts.appendTimes().end(new TopicPartition(lane, partition)));
      task.scheduler().close();
      task.outcomes().close();
      task = null;
    }
  }

  private void tick() {
    checkOwnership();
    Task running = running();
    TimePoint now = now();
    try {
      acknowledge(running, now);
      running.outcomes().update();
      running.scheduler().tick(now);
      note(running, running.scheduler().isIdle(now, OutcomesFirstConsumer.IDLE_POLL));
    } catch (KafkaException e) {
      throw e;
    } catch (RuntimeException e) {
      tickFailed(running, e);
    } finally {
      running.store().flush();
    }
  }

  private void note(Task running, boolean isIdle) {
    parts.partitions().idle(running.context().taskId().partition(), isIdle);
  }

  /** It may fail in the same way fifty times a second. */
  private void tickFailed(Task running, RuntimeException failure) {
    if (tickFailureLog.isDue()) {
      log.error("event=tick_failed partition={}", running.context().taskId().partition(), failure);
    }
    parts.shared().listener().failed(SchedulerListener.TICK);
  }

  /**
   * After a long pause of the process, the group may have given the task to another process while
   * its records are still here. Acting on them would make a second first attempt at a request that
   * the other router has. So Kafka Streams closes the task and joins the group again, and the
   * task's owner reads the records again.
   */
  private void checkOwnership() {
    if (parts.pauses().getAsLong() != pausesBefore) {
      throw new TaskMigratedException(
          "the process was paused for more than %d s, so another router may own the task"
              .formatted(PauseDetector.LONG.toSeconds()));
    }
  }

  private static void acknowledge(Task running, TimePoint now) {
    var reports = running.effects().reports();
    for (var report = reports.poll(); report != null; report = reports.poll()) {
      report.tell(running.scheduler(), now);
    }
  }

  private static <T> Optional<T> understood(Optional<T> message, RecordMetadata metadata) {
    if (message.isEmpty()) {
      log.warn(
          "event=message_ignored topic={} partition={} offset={} reason=\"unknown format\"",
          metadata.topic(),
          metadata.partition(),
          metadata.offset());
    }
    return message;
  }

  private static byte[] value(Record<byte[], byte[]> record) {
    byte @Nullable [] value = record.value();
    return value == null ? new byte[0] : value;
  }

  private Task running() {
    if (task == null) {
      throw new IllegalStateException("the task is not initialised");
    }
    return task;
  }

  private TimePoint now() {
    return new TimePoint(parts.time().millis(), parts.nanoClock().getAsLong());
  }
}
