package io.sluice.standalone.measure;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Topics;
import io.sluice.common.topic.PoolTopics;
import io.sluice.worker.clock.Ticker;
import io.sluice.worker.reply.KafkaReplyLog;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Workers without engines that never finish their requests, and report progress in the format and
 * at the rate of real ones. They share a producer that puts each record into a batch of its own,
 * because workers on separate hosts share no producer. Thread-safe.
 */
final class EndlessWorkers implements AutoCloseable {
  private static final Duration PULSE = Duration.ofSeconds(2);
  private static final int PULSES_OF_ALL = 1_000;
  private static final int TOKENS_PER_PULSE = 60;

  private final EnginelessFleet fleet;
  private final KafkaProducer<String, byte[]> producer;
  private final List<Endless> workers;
  private final Map<String, Endless> byId;
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory());
  private final Set<String> assigned = ConcurrentHashMap.newKeySet();
  private final AtomicInteger assignedAgain = new AtomicInteger();
  private final AtomicInteger takenBack = new AtomicInteger();
  private final AtomicLong reports = new AtomicLong();
  private int pulse;

  /** One worker: all its requests, by id. */
  private final class Endless {
    private final KafkaReplyLog log;
    private final Map<String, Assignment> leases = new ConcurrentHashMap<>();
    private final Map<String, Integer> perRouter = new ConcurrentHashMap<>();
    private int tokens;

    Endless(KafkaReplyLog log) {
      this.log = log;
    }

    void given(Assignment assignment) {
      perRouter.merge(assignment.router(), 1, Integer::sum);
      leases.put(assignment.lease().requestId(), assignment);
      report(assignment, new Outcome.Accepted());
      report(
          assignment,
          new Outcome.Started(Topics.REPLIES, 0, 0, OptionalLong.of(20), OptionalInt.empty()));
    }

    void takenBack(String requestId) {
      Optional.ofNullable(leases.remove(requestId))
          .ifPresent(known -> perRouter.merge(known.router(), -1, Integer::sum));
    }

    void pulse() {
      tokens += TOKENS_PER_PULSE;
      var progress = new Outcome.Progress(tokens);
      leases
          .values()
          .forEach(given -> log.progress(given.requestPartition(), given.lease(), progress));
      reports.addAndGet(leases.size());
    }

    private void report(Assignment assignment, Outcome.Event event) {
      var _ = log.report(assignment.requestPartition(), new Outcome(assignment.lease(), event));
    }
  }

  /** Starts the workers. */
  EndlessWorkers(String kafka, String redis, EnginelessFleet.Shape shape) {
    this.producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                kafka,
                "batch.size",
                0,
                "buffer.memory",
                128L * 1024 * 1024,
                "max.request.size",
                PoolTopics.MAX_RECORD_BYTES),
            new StringSerializer(),
            new ByteArraySerializer());
    this.byId =
        shape.ids().stream()
            .collect(
                Collectors.toMap(
                    Function.identity(),
                    id -> new Endless(new KafkaReplyLog(producer, Ticker.system()))));
    this.workers = List.copyOf(byId.values());
    this.fleet = new EnginelessFleet(kafka, redis, shape, id -> worker(id).perRouter);
    fleet.start(this::given);
    var _ =
        clock.scheduleAtFixedRate(
            this::pulse, 0, PULSE.toNanos() / PULSES_OF_ALL, TimeUnit.NANOSECONDS);
  }

  /** Returns the number of requests assigned. */
  int assigned() {
    return assigned.size();
  }

  /** Returns how often a request was assigned that had been assigned before. */
  int assignedAgain() {
    return assignedAgain.get();
  }

  /** Returns the number of revoked leases. */
  int takenBack() {
    return takenBack.get();
  }

  /** Returns the number of progress reports, counted per lease. */
  long reports() {
    return reports.get();
  }

  /** Returns the number of heartbeats that the registry has accepted. */
  long beats() {
    return fleet.beats();
  }

  @Override
  public void close() {
    fleet.close();
    clock.shutdownNow();
    producer.close(Duration.ofSeconds(5));
  }

  private Endless worker(String id) {
    return Optional.ofNullable(byId.get(id)).orElseThrow();
  }

  private void given(ConsumerRecord<String, byte[]> record) {
    Assignment.parse(record.headers())
        .ifPresent(
            assignment -> {
              if (!assigned.add(assignment.lease().requestId())) {
                assignedAgain.incrementAndGet();
              }
              worker(assignment.lease().worker()).given(assignment);
            });
    if (HeaderText.get(record.headers(), HeaderNames.KIND)
        .equals(Optional.of(Assignment.KIND_REVOKE))) {
      takenBack.incrementAndGet();
      Assignment.parseLease(record.headers())
          .ifPresent(lease -> worker(lease.worker()).takenBack(lease.requestId()));
    }
  }

  /** Lets the next worker report; workers on separate hosts are not synchronized. */
  private void pulse() {
    for (int i = pulse; i < workers.size(); i += PULSES_OF_ALL) {
      workers.get(i).pulse();
    }
    pulse = (pulse + 1) % PULSES_OF_ALL;
  }
}
