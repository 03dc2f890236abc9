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
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Measures a router under more load than the pool can serve: for every rate, a new router process,
 * broker and registry, 8 workers with few slots that answer after a fixed time, and tiny requests.
 * Everything shares this machine. Arguments: seconds of load, slots of a worker, milliseconds of
 * service, then the rates; the capacity of the pool is 8 * slots / service.
 */
public final class RouterOverload {
  private static final String MAX_WAIT_SECONDS = "2";
  private static final Duration NORMAL = Duration.ofSeconds(1);
  private static final Duration GIVE_UP = Duration.ofSeconds(60);

  private final String kafka;
  private final InstantWorkers workers;

  private RouterOverload(String kafka, InstantWorkers workers) {
    this.kafka = kafka;
    this.workers = workers;
  }

  public static void main(String[] args) throws Exception {
    int seconds = HopOverhead.argument(args, 0, 20);
    int slots = HopOverhead.argument(args, 1, 5);
    int serviceMillis = HopOverhead.argument(args, 2, 200);
    int[] rates =
        args.length < 4
            ? new int[] {200, 400, 1_000, 2_000}
            : IntStream.range(3, args.length).map(i -> Integer.parseInt(args[i])).toArray();
    QuietLog.set();
    System.out.println(
        "offered/s  answered/s  refused  not ended  assigned again  normal after (s)  cores then");
    for (int rate : rates) {
      try (var kafka = EmbeddedKafka.start(new EmbeddedKafka.Config(0, Optional.empty()));
          var redis = EmbeddedRedis.start(0)) {
        try (var router =
                MeasuredRouter.start(
                    kafka.bootstrapServers(),
                    redis.uri(),
                    List.of("--max-wait", MAX_WAIT_SECONDS));
            var workers =
                new InstantWorkers(
                    kafka.bootstrapServers(),
                    redis.uri(),
                    slots,
                    Duration.ofMillis(serviceMillis),
                    delay -> {})) {
          System.out.println(
              new RouterOverload(kafka.bootstrapServers(), workers).run(router, rate, seconds));
        }
      }
    }
    System.exit(0);
  }

  /** Runs one rate; returns its figures as a line. */
  private String run(LaunchedService router, int rate, int seconds) throws Exception {
    try (var producer = Producers.open(kafka, 1)) {
      workers.awaitReachable(() -> send(producer));
      int answeredBefore = workers.answered();
      int count = rate * seconds;
      new Arrivals(count, rate, rate).run(i -> send(producer));
      int answered = workers.answered() - answeredBefore;
      double normalAfter = untilNormal(producer);
      Duration before = router.processorTime();
      Thread.sleep(2_000);
      double cores = router.processorTime().minus(before).toMillis() / 2_000.0;
      return String.format(
          Locale.ROOT,
          "%9d  %10.0f  %7d  %9d  %12.1f %%  %16.1f  %10.2f",
          rate,
          answered / (double) seconds,
          workers.refused(),
          workers.open(),
          100.0 * workers.assignedAgain() / count,
          normalAfter,
          cores);
    }
  }

  /**
   * Returns the time until a new request is answered within a second; NaN if that takes too long.
   */
  private double untilNormal(KafkaProducer<String, byte[]> producer) throws InterruptedException {
    long start = System.nanoTime();
    while (System.nanoTime() - start < GIVE_UP.toNanos()) {
      long sent = System.nanoTime();
      String probe = send(producer);
      while (System.nanoTime() - sent < NORMAL.toNanos()) {
        if (workers.isAnswered(probe)) {
          return (sent - start) / 1e9;
        }
        Thread.sleep(5);
      }
    }
    return Double.NaN;
  }

  private String send(KafkaProducer<String, byte[]> producer) {
    String id = RequestId.next();
    byte[] body =
        """
        {"model":"m","stream":true,"max_tokens":64,"messages":[{"role":"user","content":"Why is the sky blue, and not green? %s"}]}"""
            .formatted(id)
            .getBytes(UTF_8);
    var record = new ProducerRecord<>(Topics.requests(Lanes.standard().holding(500)), id, body);
    HeaderText.put(record.headers(), HeaderNames.REQUEST_ID, id);
    workers.sent(id);
    producer.send(record);
    return id;
  }
}
