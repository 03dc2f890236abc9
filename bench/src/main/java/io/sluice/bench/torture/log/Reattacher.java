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
 * Readers that join a stream in its middle, seek back, and follow it to its end. They run one after
 * the other, because each needs a Kafka consumer. Thread-safe.
 */
public final class Reattacher implements AutoCloseable {
  /** Seeks back by records and not by time, because brokers' clocks may be skewed. */
  private static final int RECORDS_BACK = 100;

  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int TOKENS_SEEN = 15;

  private final String kafka;
  private final Journal journal;
  private final List<PlannedRequest> plan;
  private final Map<String, IndependentFold> readings = new ConcurrentHashMap<>();
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

  private static boolean isInMidStream(IndependentFold reading) {
    return reading.tokens() > TOKENS_SEEN && !reading.isOver();
  }

  private void attach(String id) {
    IndependentFold reading = new IndependentFold();
    readings.put(id, reading);
    ReplyRecord first = journal.see(id, log -> log.at(PlannedRequest.REPLIES).lines().getFirst());
    var source = new TopicPartition(PlannedRequest.REPLIES, first.position().partition());
    try (var consumer = LogReader.consumer(kafka)) {
      consumer.assign(List.of(source));
      consumer.seek(source, Math.max(0, first.position().offset() - RECORDS_BACK));
      long end = System.nanoTime() + PATIENCE.toNanos();
      while (!stopped && !isOver(reading) && System.nanoTime() - end < 0) {
        for (ConsumerRecord<String, byte[]> record : consumer.poll(PAUSE)) {
          ReplyRecord.of(record, 0)
              .filter(line -> line.requestId().equals(id))
              .ifPresent(line -> take(reading, line));
        }
      }
    }
  }

  private static void take(IndependentFold reading, ReplyRecord line) {
    synchronized (reading) {
      reading.next(line);
    }
  }

  private static boolean isOver(IndependentFold reading) {
    synchronized (reading) {
      return reading.isOver();
    }
  }

  /** Returns what such a reader read, if it reached the end. Call it only after {@link #close}. */
  public Optional<IndependentFold> reading(String id) {
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
