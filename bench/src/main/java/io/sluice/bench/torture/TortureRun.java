package io.sluice.bench.torture;

import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.torture.checker.HostileCheck;
import io.sluice.bench.torture.clients.HttpChecks;
import io.sluice.bench.torture.clients.HttpLoad;
import io.sluice.bench.torture.clients.HttpReport;
import io.sluice.bench.torture.faults.DisruptionBudget;
import io.sluice.bench.torture.faults.FaultContext;
import io.sluice.bench.torture.faults.FaultInjector;
import io.sluice.bench.torture.faults.FaultPlan;
import io.sluice.bench.torture.faults.PoisonKills;
import io.sluice.bench.torture.load.HostileCaller;
import io.sluice.bench.torture.load.LoadGenerator;
import io.sluice.bench.torture.load.LoadPlan;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.log.Journal;
import io.sluice.bench.torture.log.LogReader;
import io.sluice.bench.torture.log.Reattacher;
import io.sluice.bench.torture.log.ReplyTopics;
import io.sluice.bench.torture.pool.ClockSkewing;
import io.sluice.bench.torture.pool.IdlePool;
import io.sluice.bench.torture.pool.PoolProcesses;
import io.sluice.bench.torture.pool.PoolSetup;
import io.sluice.bench.torture.pool.Replicas;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * One run: a pool, its load, the faults injected into it, and what the checker finds afterwards.
 */
final class TortureRun {
  /** How long to wait for the last records after the longest deadline has passed. */
  private static final Duration LAST_WORD = Duration.ofSeconds(50);

  /** How many HTTP clients there are for each other request. */
  private static final double HTTP_SHARE = 0.25;

  private static final Duration IDLE_WITHIN = Duration.ofSeconds(30);
  private static final Duration TELL_WITHIN = Duration.ofSeconds(30);

  /**
   * What is run.
   *
   * @param length how long requests are sent; a run also takes the time to start and until all
   *     requests have ended
   * @param rate requests per second
   * @param faultEvery mean time between two faults
   * @param faults texts of which a fault's label must contain one; empty for all faults
   * @param clocks which processes' clocks can be skewed on this machine
   */
  record Options(
      PoolSetup setup,
      long seed,
      Duration length,
      double rate,
      Duration faultEvery,
      List<String> faults,
      ClockSkewing clocks) {
    Options {
      faults = List.copyOf(faults);
    }

    boolean isWanted(String label) {
      return faults.isEmpty() || faults.stream().anyMatch(label::contains);
    }

    /** Returns the faults that this machine cannot inject, and why. */
    Optional<String> notInjected() {
      return clocks.libfaketime().isPresent()
          ? Optional.empty()
          : Optional.of("skewed clocks of routers and workers, as libfaketime is not installed");
    }
  }

  private final Options options;
  private final List<PlannedRequest> plan;
  private final List<FaultPlan.Entry> schedule;
  private final Path folder;
  private final Consumer<String> progress;

  /**
   * Plans a run.
   *
   * @throws IllegalArgumentException if no fault has one of the wanted labels
   */
  TortureRun(Options options, Path folder, Consumer<String> progress) {
    this.options = options;
    this.plan =
        LoadPlan.of(options.seed(), options.length(), options.rate(), options.setup().engines());
    this.schedule =
        FaultPlan.of(
            options.seed(),
            options.setup(),
            options.length(),
            options.faultEvery(),
            options.clocks().roles(),
            options::isWanted);
    this.folder = folder;
    this.progress = progress;
  }

  /**
   * Starts the pool, runs the load and the faults, and checks all requests.
   *
   * @throws IOException if the pool cannot be started
   */
  TortureReport run() throws IOException, InterruptedException {
    try (var pool = new PoolProcesses(options.setup(), folder)) {
      progress.accept("starting %s in %s".formatted(options.setup(), folder));
      pool.start();
      progress.accept("%d requests, %d faults".formatted(plan.size(), schedule.size()));
      return torture(pool);
    }
  }

  private TortureReport torture(PoolProcesses pool) throws IOException, InterruptedException {
    String kafka = pool.wiring().kafka();
    var journal = new Journal();
    try (var topics = new ReplyTopics(kafka, journal)) {
      topics.createElsewhere();
      return torture(pool, kafka, journal, topics);
    } catch (TimeoutException e) {
      throw new IOException(e);
    }
  }

  private TortureReport torture(
      PoolProcesses pool, String kafka, Journal journal, ReplyTopics topics)
      throws IOException, InterruptedException {
    var budget = new DisruptionBudget(options.setup());
    try (var reader = LogReader.following(kafka, Journal.TOPICS, journal);
        var reattacher = new Reattacher(kafka, journal, plan);
        var replicas = new Replicas(kafka);
        var load = new LoadGenerator(kafka);
        var http = httpLoad(pool);
        var hostile = new HostileCaller(kafka)) {
      var context =
          new FaultContext(pool, load, journal, topics, hostile, new PoisonKills(pool, progress));
      var injector = new FaultInjector(context, replicas, budget, progress);
      Thread injecting = Thread.ofPlatform().name("fault-injector").start(() -> inject(injector));
      http.start();
      load.run(plan);
      injecting.join();
      injector.awaitRecovery(options.setup().engines().startWithin());
      pool.wiring().healAll();
      progress.accept("all faults are over; waiting for open requests");
      awaitEnds(context, options.setup().engines().patience().plus(LAST_WORD));
      http.await();
      HttpReport httpReport = new HttpChecks(journal).check(http);
      List<String> unanswered = load.awaitCallers(TELL_WITHIN);
      List<String> held = new IdlePool(pool, options.setup()).await(IDLE_WITHIN);
      injector.close();
      reader.close();
      topics.close();
      reattacher.close();
      var collector =
          new EvidenceCollector(context, injector, reattacher, lateReading(kafka), options.setup());
      TortureReport report = collector.report(options, httpReport.sent(), held, unanswered);
      report.http(httpReport);
      return report;
    }
  }

  private HttpLoad httpLoad(PoolProcesses pool) {
    return new HttpLoad(
        options.seed(),
        options.length(),
        options.rate() * HTTP_SHARE,
        options.setup().engines(),
        new Gateways(pool.gateways()));
  }

  private void inject(FaultInjector injector) {
    try {
      injector.run(schedule, options.length());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for the ends of all requests that Kafka accepted. */
  private static void awaitEnds(FaultContext context, Duration limit) throws InterruptedException {
    Journal journal = context.journal();
    long end = System.nanoTime() + limit.toNanos();
    List<PlannedRequest> open =
        new ArrayList<>(context.load().sent().stream().map(LoadGenerator.Sent::request).toList());
    List<HostileCaller.Accepted> hostile = new ArrayList<>(context.hostile().accepted());
    while (!(open.isEmpty() && hostile.isEmpty()) && System.nanoTime() - end < 0) {
      Thread.sleep(Duration.ofMillis(500));
      open.removeIf(
          request ->
              journal.isOver(request)
                  || (!journal.isAppended(request.id()) && context.load().isUnsent(request.id())));
      hostile.removeIf(accepted -> HostileCheck.isOver(accepted, journal));
    }
  }

  private static Journal lateReading(String kafka) {
    var late = new Journal();
    LogReader.readAll(kafka, late);
    return late;
  }

  static Path newFolder() throws IOException {
    return Files.createTempDirectory("sluice-torture-");
  }
}
