package io.sluice.standalone.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.Topics;
import io.sluice.standalone.kafka.EmbeddedKafka;
import io.sluice.standalone.redis.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Measures how many requests of 2 KB one router process assigns per second: a separate router
 * between a real broker and workers that answer at once. Everything shares this machine, so the
 * router's own CPU time is the result. Arguments: seconds per step, then the rates.
 */
public final class RouterThroughput {
  private static final int WARM_UP_SECONDS =
      Integer.getInteger("sluice.measure.warm.up.seconds", 45);
  private static final int REPEATS = Integer.getInteger("sluice.measure.request.bytes", 2_048) / 19;
  private static final Duration LATE = Duration.ofSeconds(20);

  private final String kafka;
  private final AtomicReference<Samples> delays = new AtomicReference<>(new Samples());
  private final AtomicInteger assigned = new AtomicInteger();

  private RouterThroughput(String kafka) {
    this.kafka = kafka;
  }

  public static void main(String[] args) throws Exception {
    int seconds = HopOverhead.argument(args, 0, 10);
    int[] rates =
        args.length < 2
            ? new int[] {500, 1_000, 2_000, 3_000, 4_000}
            : IntStream.range(1, args.length).map(i -> Integer.parseInt(args[i])).toArray();
    QuietLog.set();
    try (var kafka = EmbeddedKafka.start(new EmbeddedKafka.Config(0, Optional.empty()));
        var redis = EmbeddedRedis.start(0)) {
      try (var router = MeasuredRouter.start(kafka.bootstrapServers(), redis.uri(), List.of())) {
        new RouterThroughput(kafka.bootstrapServers()).run(router, redis.uri(), seconds, rates);
      }
    }
    System.exit(0);
  }

  private void run(LaunchedService router, String redis, int seconds, int[] rates)
      throws Exception {
    try (var workers =
            new InstantWorkers(
                kafka, redis, InstantWorkers.ANY_SLOTS, Duration.ZERO, this::assigned);
        var producer = Producers.open(kafka, 1)) {
      // Waits until the compiler has finished.
      step(router, producer, rates[0], WARM_UP_SECONDS);
      System.out.println(
          "requests/s  assigned/s  to assignment p50  p99 (ms)  router cores  per core");
      for (int rate : rates) {
        System.out.println(step(router, producer, rate, seconds));
      }
    }
  }

  private void assigned(long delayMillis) {
    delays.get().add(delayMillis);
    assigned.incrementAndGet();
  }

  /** Runs one rate; returns its figures as a line. */
  private String step(
      LaunchedService router, KafkaProducer<String, byte[]> producer, int rate, int seconds)
      throws Exception {
    Samples measured = new Samples();
    delays.set(measured);
    assigned.set(0);
    int count = rate * seconds;
    Duration before = router.processorTime();
    long start = System.nanoTime();
    new Arrivals(count, rate, rate).run(i -> producer.send(request()));
    long end = System.nanoTime() + LATE.toNanos();
    while (assigned.get() < count && System.nanoTime() < end) {
      Thread.sleep(5);
    }
    double took = Elapsed.seconds(start);
    double cores = router.processorTime().minus(before).toNanos() / 1e9 / took;
    double perSecond = assigned.get() / took;
    return String.format(
        Locale.ROOT,
        "%10d  %10.0f  %17.0f  %8.0f  %12.2f  %8.0f",
        rate,
        perSecond,
        measured.median(),
        measured.quantile(0.99),
        cores,
        perSecond / cores);
  }

  private static ProducerRecord<String, byte[]> request() {
    String id = RequestId.next();
    byte[] body =
        """
        {"model":"m","stream":true,"max_tokens":64,"messages":[{"role":"user","content":"%s %s"}]}"""
            .formatted(id, "four word prompt, ".repeat(REPEATS))
            .getBytes(UTF_8);
    var record =
        new ProducerRecord<>(
            Topics.requests(
                Lanes.standard()
                    .holding(Integer.getInteger("sluice.measure.request.bytes", 2_048) / 4)),
            id,
            body);
    HeaderText.put(record.headers(), HeaderNames.REQUEST_ID, id);
    return record;
  }
}
