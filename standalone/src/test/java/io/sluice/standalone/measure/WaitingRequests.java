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
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;

/**
 * Measures the cost of interactive requests that wait in one router because there is no worker:
 * heap, process memory, disk, and the time until a router that replaces a killed one has restored
 * them all. Then workers join and all requests are sent. Arguments: the number of requests, their
 * size in bytes, the heaps of the successive routers in MiB, and the number of parked bulk requests
 * of 1 KiB; if there are any, no workers join.
 */
public final class WaitingRequests {
  private static final int BULK_BYTES = 1_024;

  /** The limit for one partition, as in the router. */
  private static final int MOST_PARKED = 100_000;

  private static final Duration TOO_LONG = Duration.ofMinutes(6);
  private static final Pattern USED =
      Pattern.compile("(?:def new generation|DefNew|enured|TenuredGeneration).* used (\\d+)K");

  private final String kafka;
  private final String redis;
  private final int count;
  private final int bytes;
  private final int bulk;
  private final int port = LocalPort.settle(0, "the router");
  private final ServiceMetrics page = new ServiceMetrics(port);

  private WaitingRequests(String kafka, String redis, int count, int bytes, int bulk) {
    this.kafka = kafka;
    this.redis = redis;
    this.count = count;
    this.bytes = bytes;
    this.bulk = bulk;
  }

  public static void main(String[] args) throws Exception {
    int count = HopOverhead.argument(args, 0, 100_000);
    int bytes = HopOverhead.argument(args, 1, 32 * 1024);
    int[] heaps = {HopOverhead.argument(args, 2, 768), HopOverhead.argument(args, 3, 768)};
    int bulk = HopOverhead.argument(args, 4, 0);
    QuietLog.set();
    try (var kafka = EmbeddedKafka.start(new EmbeddedKafka.Config(0, Optional.empty()));
        var redis = EmbeddedRedis.start(0)) {
      new WaitingRequests(kafka.bootstrapServers(), redis.uri(), count, bytes, bulk).run(heaps);
    }
    System.exit(0);
  }

  private void run(int[] heaps) throws Exception {
    System.out.println(
        "router          waiting   parked  heap MiB  RSS MiB  peak RSS  all there after s");
    try (var router = router(heaps[0])) {
      print("idle", router, 0);
      long start = System.nanoTime();
      send(Topics.BULK, bulk, BULK_BYTES, Duration.ofHours(20));
      send(Topics.requests(Lanes.standard().holding(bytes / 4)), count, bytes, Duration.ofHours(2));
      boolean areThere = awaitWaiting(router);
      print("filled", router, start);
      System.out.printf(
          Locale.ROOT, "disk: changelogs of the router %d MiB%n", changelogBytes() >> 20);
      router.kill();
      if (!areThere) {
        return;
      }
    }
    long start = System.nanoTime();
    try (var router = router(heaps[1])) {
      System.out.printf(Locale.ROOT, "killed; ready again after %.1f s%n", Elapsed.seconds(start));
      awaitWaiting(router);
      print("after kill -9", router, start);
      if (bulk == 0) {
        drain(router);
      }
    }
  }

  private void drain(LaunchedService router) throws Exception {
    AtomicInteger assigned = new AtomicInteger();
    long before = System.nanoTime();
    Duration cpu = router.processorTime();
    try (var workers =
        new InstantWorkers(
            kafka,
            redis,
            InstantWorkers.ANY_SLOTS,
            Duration.ZERO,
            delay -> assigned.incrementAndGet())) {
      while (assigned.get() < count
          && router.isAlive()
          && Elapsed.seconds(before) < TOO_LONG.toSeconds()) {
        Thread.sleep(20);
      }
    }
    System.out.printf(
        Locale.ROOT,
        "workers came: %d sent in %.1f s, %.1f s of processor time%n",
        assigned.get(),
        Elapsed.seconds(before),
        router.processorTime().minus(cpu).toMillis() / 1e3);
    print("drained", router, before);
  }

  private LaunchedService router(int heapMib) throws Exception {
    return MeasuredRouter.start(
        kafka,
        redis,
        List.of("--id", "measured", "--port", Integer.toString(port)),
        "-Xmx" + heapMib + "m -XX:+ExitOnOutOfMemoryError");
  }

  private void send(String topic, int requests, int size, Duration timeout) {
    String text = "four word prompt, ".repeat(size / 18);
    try (var producer = Producers.open(kafka, 5)) {
      for (int i = 0; i < requests; i++) {
        String id = RequestId.next();
        byte[] body =
            """
            {"model":"m","stream":true,"max_tokens":64,"messages":[{"role":"user","content":"%s %s"}]}"""
                .formatted(id, text)
                .getBytes(UTF_8);
        var record = new ProducerRecord<>(topic, id, body);
        HeaderText.put(record.headers(), HeaderNames.REQUEST_ID, id);
        HeaderText.put(record.headers(), HeaderNames.TIMEOUT_MS, timeout.toMillis());
        producer.send(record);
      }
    }
  }

  /**
   * Returns whether as many requests wait as were sent; false if the router dies or rejects some.
   */
  private boolean awaitWaiting(LaunchedService router) throws Exception {
    long start = System.nanoTime();
    while (router.isAlive() && Elapsed.seconds(start) < TOO_LONG.toSeconds()) {
      if (gauge("sluice_router_pending") >= count && parkedAreThere()) {
        return true;
      }
      Thread.sleep(50);
    }
    return false;
  }

  /** As many as a router keeps; keys are not distributed quite evenly over partitions. */
  private boolean parkedAreThere() throws InterruptedException {
    int most = Math.min(bulk, MOST_PARKED * MeasuredRouter.PARTITIONS);
    return gauge("sluice_router_bulk_parked") >= most * 0.99;
  }

  private int gauge(String name) throws InterruptedException {
    return (int) page.sum(name).orElse(-1);
  }

  private void print(String when, LaunchedService router, long startNanos) throws Exception {
    if (!router.isAlive()) {
      System.out.printf(Locale.ROOT, "%-14s  the router is dead, of its heap%n", when);
      return;
    }
    jcmd(router, "GC.run");
    Memory memory = router.memory();
    System.out.printf(
        Locale.ROOT,
        "%-14s  %7d  %7d  %8d  %7d  %8d  %17.1f%n",
        when,
        gauge("sluice_router_pending"),
        gauge("sluice_router_bulk_parked"),
        heapMib(router),
        memory.nowMib(),
        memory.peakMib(),
        startNanos == 0 ? 0 : Elapsed.seconds(startNanos));
  }

  private static long heapMib(LaunchedService router) throws Exception {
    return USED.matcher(jcmd(router, "GC.heap_info"))
            .results()
            .mapToLong(match -> Long.parseLong(match.group(1)))
            .sum()
        / 1024;
  }

  private static String jcmd(LaunchedService router, String command) throws Exception {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    Process process =
        new ProcessBuilder(jcmd.toString(), Long.toString(router.pid()), command)
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    process.waitFor();
    return said;
  }

  private long changelogBytes() throws Exception {
    try (var admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
      List<Integer> brokers = admin.describeCluster().nodes().get().stream().map(Node::id).toList();
      return admin.describeLogDirs(brokers).allDescriptions().get().values().stream()
          .flatMap(byDirectory -> byDirectory.values().stream())
          .flatMap(directory -> directory.replicaInfos().entrySet().stream())
          .filter(replica -> replica.getKey().topic().endsWith("-changelog"))
          .mapToLong(replica -> replica.getValue().size())
          .sum();
    }
  }
}
