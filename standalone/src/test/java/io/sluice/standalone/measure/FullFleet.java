package io.sluice.standalone.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.Topics;
import io.sluice.standalone.backend.LocalPort;
import io.sluice.standalone.kafka.EmbeddedKafka;
import io.sluice.standalone.pool.ServiceMetrics;
import io.sluice.standalone.redis.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Measures the load of a full fleet on its router: one router process receives the progress of all
 * streams and all heartbeats, while each partition holds waiting requests of several kinds that any
 * worker could serve if it had capacity. Everything shares this machine, so the router's own CPU
 * time is the result. Arguments: workers, streams, kinds of waiting requests, seconds, partitions.
 * There are as many streams as the workers have slots, so their number must be a multiple of the
 * workers. Without streams and kinds, only the heartbeats are left.
 */
public final class FullFleet {
  private static final Duration FILLED_WITHIN = Duration.ofMinutes(10);
  private static final Duration WARM_UP = Duration.ofSeconds(30);

  private final Load load;
  private final LaunchedService router;
  private final ServiceMetrics page;
  private final OutcomesLag outcomes;

  private record Load(int workers, int streams, int kinds, int seconds, int partitions) {
    EnginelessFleet.Shape shape() {
      return new EnginelessFleet.Shape(workers, streams / workers, models());
    }

    List<String> models() {
      return IntStream.range(0, Math.max(1, kinds)).mapToObj(i -> "m" + i).toList();
    }
  }

  private FullFleet(Load load, LaunchedService router, int port, Admin admin) {
    this.load = load;
    this.router = router;
    this.page = new ServiceMetrics(port);
    this.outcomes = new OutcomesLag(admin, load.partitions());
  }

  public static void main(String[] args) throws Exception {
    Load load =
        new Load(
            HopOverhead.argument(args, 0, 1_000),
            HopOverhead.argument(args, 1, 100_000),
            HopOverhead.argument(args, 2, 16),
            HopOverhead.argument(args, 3, 60),
            HopOverhead.argument(args, 4, 48));
    QuietLog.set();
    int port = LocalPort.settle(0, "the router");
    try (var kafka = EmbeddedKafka.start(new EmbeddedKafka.Config(0, Optional.empty()));
        var redis = EmbeddedRedis.start(0);
        var router =
            MeasuredRouter.start(
                kafka.bootstrapServers(),
                redis.uri(),
                load.models(),
                load.partitions(),
                List.of(
                    "--port",
                    Integer.toString(port),
                    "--max-pending",
                    Integer.toString(Math.max(1, 2 * load.streams()))),
                "");
        var admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
        var producer = Producers.open(kafka.bootstrapServers(), 5)) {
      var fleet = new FullFleet(load, router, port, admin);
      fleet.send(producer);
      try (var workers = new EndlessWorkers(kafka.bootstrapServers(), redis.uri(), load.shape())) {
        fleet.fill(workers, producer);
        fleet.awaitBacklogRead();
        Thread.sleep(WARM_UP);
        fleet.measure(workers);
      }
    }
    System.exit(0);
  }

  /**
   * The requests of the streams are sent first, so that the router reads them all at once from its
   * lanes.
   */
  private void send(KafkaProducer<String, byte[]> producer) throws InterruptedException {
    for (int i = 0; i < load.streams(); i++) {
      producer.send(request(load.models().get(i % load.kinds()), Optional.empty()));
    }
    await("all requests are read", () -> waiting() == load.streams());
  }

  private void fill(EndlessWorkers workers, KafkaProducer<String, byte[]> producer)
      throws InterruptedException {
    long start = System.nanoTime();
    await("all streams run", () -> workers.assigned() == load.streams());
    for (String model : load.models().subList(0, load.kinds())) {
      for (int partition = 0; partition < load.partitions(); partition++) {
        producer.send(request(model, Optional.of(partition)));
      }
    }
    int others = load.kinds() * load.partitions();
    await("the others wait", () -> waiting() == others);
    System.out.printf(
        Locale.ROOT,
        "%d workers run %d streams after %.0f s; %d requests wait, of %d kinds in %d partitions%n",
        load.workers(),
        load.streams(),
        Elapsed.seconds(start),
        others,
        load.kinds(),
        load.partitions());
  }

  /** What is unread afterwards was written since the router's latest commit. */
  private void awaitBacklogRead() throws InterruptedException {
    long start = System.nanoTime();
    await("the backlog of the fill is read", () -> unread() <= load.streams() / 10);
    System.out.printf(Locale.ROOT, "its backlog is read %.0f s later%n", Elapsed.seconds(start));
  }

  private long unread() {
    try {
      return outcomes.now().lag();
    } catch (ExecutionException e) {
      return Long.MAX_VALUE;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Long.MAX_VALUE;
    }
  }

  private void measure(EndlessWorkers workers) throws Exception {
    Losses lossesBefore = losses(workers);
    long reportsBefore = workers.reports();
    long beatsBefore = workers.beats();
    OutcomesLag.Offsets before = outcomes.now();
    OutcomesLag.Offsets now = before;
    long worstLag = before.lag();
    Duration cpuBefore = router.processorTime();
    long start = System.nanoTime();
    while (Elapsed.seconds(start) < load.seconds()) {
      Thread.sleep(500);
      now = outcomes.now();
      worstLag = Math.max(worstLag, now.lag());
    }
    double took = Elapsed.seconds(start);
    double cores = router.processorTime().minus(cpuBefore).toNanos() / 1e9 / took;
    System.out.println(
        "router cores  heartbeats/s  records read/s  leases reported/s  unread at most  lost (before)  RSS MiB");
    System.out.printf(
        Locale.ROOT,
        "%12.2f  %12.0f  %14.0f  %17.0f  %14d  %13s  %7d%n",
        cores,
        (workers.beats() - beatsBefore) / took,
        (now.read() - before.read()) / took,
        (workers.reports() - reportsBefore) / took,
        worstLag,
        "%d (%d)".formatted(losses(workers).since(lossesBefore).most(), lossesBefore.most()),
        router.memory().nowMib());
  }

  /** Lost leases, as seen by the workers and the router. */
  private record Losses(long assignedAgain, long takenBack, long requeued) {
    Losses since(Losses before) {
      return new Losses(
          assignedAgain - before.assignedAgain,
          takenBack - before.takenBack,
          requeued - before.requeued);
    }

    long most() {
      return Math.max(assignedAgain, Math.max(takenBack, requeued));
    }
  }

  private Losses losses(EndlessWorkers workers) {
    return new Losses(
        workers.assignedAgain(), workers.takenBack(), (long) meter("sluice_router_requeues_total"));
  }

  private int waiting() {
    return (int) meter("sluice_router_pending");
  }

  private double meter(String name) {
    try {
      return page.sum(name).orElse(Double.NaN);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Double.NaN;
    }
  }

  private void await(String what, BooleanSupplier condition) throws InterruptedException {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > FILLED_WITHIN.toNanos() || !router.isAlive()) {
        throw new IllegalStateException(
            "in vain waited until %s: %d wait, %.0f have leases, %.0f were refused"
                .formatted(
                    what,
                    waiting(),
                    meter("sluice_router_leases"),
                    meter("sluice_router_refusals_total")));
      }
      Thread.sleep(100);
    }
  }

  private static ProducerRecord<String, byte[]> request(String model, Optional<Integer> partition) {
    String id = RequestId.next();
    byte[] body =
        """
        {"model":"%s","stream":true,"max_tokens":64,"messages":[{"role":"user","content":"Why is the sky blue, and not green? %s"}]}"""
            .formatted(model, id)
            .getBytes(UTF_8);
    String lane = Topics.requests(Lanes.standard().holding(500));
    var record = new ProducerRecord<>(lane, partition.orElse(null), id, body);
    HeaderText.put(record.headers(), HeaderNames.REQUEST_ID, id);
    HeaderText.put(record.headers(), HeaderNames.TIMEOUT_MS, Duration.ofHours(2).toMillis());
    return record;
  }
}
