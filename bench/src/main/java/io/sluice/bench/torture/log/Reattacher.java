package io.sluice.bench.torture.log;

import io.sluice.bench.torture.load.PlannedRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Readers that come in mid-stream, seek back, and follow to the end. One at a time, since each
 * costs a Kafka consumer. Thread-safe.
 */
public final class Reattacher implements AutoCloseable {
  /** Not by time, as brokers' clocks may be skewed. */
  private static final int RECORDS_BACK = 100;

  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int TOKENS_SEEN = 15;

  private final String kafka;
  private final Journal journal;
  private final List<PlannedRequest> plan;
  private final Map<String, Reading> readings = new ConcurrentHashMap<>();
  private final Thread thread;
  private volatile boolean stopped;

  public Reattacher(String kafka, Journal journal, List<PlannedRequest> plan) {
    this.kafka = kafka;
    this.journal = journal;
    this.plan = plan;
    this.thread = Thread.ofPlatform().name("reattacher").daemon().start(this::run);
  }

  private void run() {
    try {
      while (!stopped) {
        TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
        Optional<PlannedRequest> chosen =
            plan.stream().filter(request -> isInMidStream(request.id())).findFirst();
        if (chosen.isPresent()) {
          attach(chosen.get().id());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isInMidStream(String id) {
    return !readings.containsKey(id)
        && journal.see(id, log -> isInMidStream(log.at(PlannedRequest.REPLIES).reading()));
  }

  private static boolean isInMidStream(Reading reading) {
    return reading.tokens() > TOKENS_SEEN && !reading.isOver();
  }

  private void attach(String id) {
    Reading reading = new Reading();
    readings.put(id, reading);
    ReplyLine first = journal.see(id, log -> log.at(PlannedRequest.REPLIES).lines().getFirst());
    var source = new TopicPartition(PlannedRequest.REPLIES, first.partition());
    try (var consumer = LogReader.consumer(kafka)) {
      consumer.assign(List.of(source));
      consumer.seek(source, Math.max(0, first.offset() - RECORDS_BACK));
      long end = System.nanoTime() + PATIENCE.toNanos();
      while (!stopped && !isOver(reading) && System.nanoTime() - end < 0) {
        for (ConsumerRecord<String, byte[]> record : consumer.poll(PAUSE)) {
          ReplyLine.of(record, 0)
              .filter(line -> line.requestId().equals(id))
              .ifPresent(line -> take(reading, line));
        }
      }
    }
  }

  private static void take(Reading reading, ReplyLine line) {
    synchronized (reading) {
      reading.next(line);
    }
  }

  private static boolean isOver(Reading reading) {
    synchronized (reading) {
      return reading.isOver();
    }
  }

  /** What such a reader has read to the end; to be asked after {@link #close}. */
  public Optional<Reading> reading(String id) {
    return Optional.ofNullable(readings.get(id)).filter(Reattacher::isOver);
  }

  public int count() {
    return (int) readings.values().stream().filter(Reattacher::isOver).count();
  }

  @Override
  public void close() {
    stopped = true;
    LogReader.awaitEnd(thread);
  }
}
