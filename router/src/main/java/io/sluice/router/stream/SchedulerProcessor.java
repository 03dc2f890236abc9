package io.sluice.router.stream;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Topics;
import io.sluice.router.schedule.Now;
import io.sluice.router.schedule.RequestBody;
import io.sluice.router.schedule.RequestFacts;
import io.sluice.router.schedule.Scheduler;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.streams.errors.TaskMigratedException;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs one partition's {@link Scheduler} on the stream thread that owns the partition. */
final class SchedulerProcessor implements Processor<byte[], byte[], Void, Void> {
  static final String REQUESTS_STORE = "requests";
  static final String BODIES_STORE = "bodies";
  private static final Duration TICK = Duration.ofMillis(20);
  private static final Logger log = LoggerFactory.getLogger(SchedulerProcessor.class);

  private final StreamParts parts;
  private final long pausesBefore;
  private @Nullable Task task;

  /** What there is while the task runs. */
  private record Task(
      ProcessorContext<Void, Void> context,
      StreamsRequestStore store,
      Scheduler scheduler,
      StreamEffects effects) {}

  SchedulerProcessor(StreamParts parts) {
    this.parts = parts;
    this.pausesBefore = parts.pauses().getAsLong();
  }

  @Override
  public void init(ProcessorContext<Void, Void> context) {
    int partition = context.taskId().partition();
    var store =
        new StreamsRequestStore(
            context.getStateStore(REQUESTS_STORE), context.getStateStore(BODIES_STORE));
    var effects = new StreamEffects(context::currentSystemTimeMs, parts.writer());
    var scheduler = new Scheduler(store, effects, parts.shared(), now(context));
    task = new Task(context, store, scheduler, effects);
    parts.partitions().started(partition);
    store.sweepBodies();
    scheduler.recover(now(context));
    store.flush();
    context.schedule(TICK, PunctuationType.WALL_CLOCK_TIME, timestamp -> tick());
  }

  @Override
  public void process(Record<byte[], byte[]> record) {
    checkOwnership();
    Task running = running();
    try {
      process(running, record, now(running.context()));
    } finally {
      running.store().flush();
    }
  }

  private void process(Task running, Record<byte[], byte[]> record, Now now) {
    RecordMetadata metadata = running.context().recordMetadata().orElseThrow();
    switch (metadata.topic()) {
      case Topics.OUTCOMES ->
          understood(Outcome.parse(value(record)), metadata)
              .ifPresent(outcome -> running.scheduler().outcome(outcome, now));
      case Topics.CONTROL ->
          understood(Control.parse(value(record)), metadata)
              .ifPresent(control -> running.scheduler().control(control, keptUntil(record), now));
      default -> request(running, record, metadata, now);
    }
    acknowledge(running, now);
  }

  /** Until when a control message counts, if it says so. */
  private static OptionalLong keptUntil(Record<byte[], byte[]> record) {
    return HeaderText.getLong(record.headers(), HeaderNames.DEADLINE);
  }

  private void request(
      Task running, Record<byte[], byte[]> record, RecordMetadata metadata, Now now) {
    var source = new RequestFacts.Source(metadata.topic(), metadata.partition(), metadata.offset());
    var reading = parts.reader().read(source, record.headers(), record.value(), record.timestamp());
    var body = RequestBody.of(record.headers(), value(record));
    running.scheduler().request(reading, body, now);
  }

  @Override
  public void close() {
    if (task != null) {
      parts.partitions().stopped(task.context().taskId().partition());
      task.scheduler().close();
      task = null;
    }
  }

  private void tick() {
    checkOwnership();
    Task running = running();
    Now now = now(running.context());
    try {
      acknowledge(running, now);
      running.scheduler().tick(now);
    } finally {
      running.store().flush();
    }
  }

  /**
   * After a long pause of the process the group may have given the task away, while its records are
   * still here: to act on them would make a second first attempt at a request that another router
   * has. Kafka Streams closes the task then and joins the group anew; whoever owns the task reads
   * the records again.
   */
  private void checkOwnership() {
    if (parts.pauses().getAsLong() != pausesBefore) {
      throw new TaskMigratedException(
          "the process did not run for more than %d s, so that the task may be another router's"
              .formatted(PauseWatch.LONG.toSeconds()));
    }
  }

  private static void acknowledge(Task running, Now now) {
    var reports = running.effects().reports();
    for (var report = reports.poll(); report != null; report = reports.poll()) {
      report.tell(running.scheduler(), now);
    }
  }

  private static <T> Optional<T> understood(Optional<T> message, RecordMetadata metadata) {
    if (message.isEmpty()) {
      log.warn(
          "event=message_ignored topic={} partition={} offset={} reason=\"not of a known form\"",
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

  private Now now(ProcessorContext<Void, Void> context) {
    return new Now(context.currentSystemTimeMs(), parts.nanoClock().getAsLong());
  }
}
