package io.sluice.bench.torture;

import io.sluice.bench.torture.checker.HostileCheck;
import io.sluice.bench.torture.faults.Adversary;
import io.sluice.bench.torture.faults.Arena;
import io.sluice.bench.torture.faults.Limits;
import io.sluice.bench.torture.faults.Schedule;
import io.sluice.bench.torture.faults.Victims;
import io.sluice.bench.torture.load.HostileCaller;
import io.sluice.bench.torture.load.Load;
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

/** One run: a pool, a load, an adversary, and what the checker finds afterwards. */
final class TortureRun {
  /** For the last word to be said, when the longest deadline has passed. */
  private static final Duration LAST_WORD = Duration.ofSeconds(50);

  private static final Duration IDLE_WITHIN = Duration.ofSeconds(30);
  private static final Duration TELL_WITHIN = Duration.ofSeconds(30);

  /**
   * What is run.
   *
   * @param length of the load; a run also takes the start, and the time until all has ended
   * @param rate requests per second
   * @param blowEvery mean time between two blows
   * @param blows of which there are only those whose labels hold one of these; all if empty
   * @param clocks whose can be skewed
   */
  record Options(
      PoolSetup setup,
      long seed,
      Duration length,
      double rate,
      Duration blowEvery,
      List<String> blows,
      ClockSkewing clocks) {
    Options {
      blows = List.copyOf(blows);
    }

    boolean isWanted(String label) {
      return blows.isEmpty() || blows.stream().anyMatch(label::contains);
    }

    /** What would be done to the pool on another machine. */
    Optional<String> notDealt() {
      return clocks.libfaketime().isPresent()
          ? Optional.empty()
          : Optional.of("skewed clocks of routers and workers, as libfaketime is not installed");
    }
  }

  private final Options options;
  private final List<PlannedRequest> plan;
  private final List<Schedule.Event> schedule;
  private final Path folder;
  private final Consumer<String> progress;

  /**
   * Plans a run.
   *
   * @throws IllegalArgumentException if there is no such blow
   */
  TortureRun(Options options, Path folder, Consumer<String> progress) {
    this.options = options;
    this.plan =
        LoadPlan.of(options.seed(), options.length(), options.rate(), options.setup().engines());
    this.schedule =
        Schedule.of(
            options.seed(),
            options.setup(),
            options.length(),
            options.blowEvery(),
            options.clocks().roles(),
            options::isWanted);
    this.folder = folder;
    this.progress = progress;
  }

  /**
   * Runs it all.
   *
   * @throws IOException if the pool cannot be started
   */
  Report run() throws IOException, InterruptedException {
    var pool = new PoolProcesses(options.setup(), folder);
    Thread onExit = new Thread(pool::close, "pool-kill");
    Runtime.getRuntime().addShutdownHook(onExit);
    try (pool) {
      progress.accept("starting %s in %s".formatted(options.setup(), folder));
      pool.start();
      progress.accept("%d requests, %d blows".formatted(plan.size(), schedule.size()));
      return torture(pool);
    } finally {
      Runtime.getRuntime().removeShutdownHook(onExit);
    }
  }

  private Report torture(PoolProcesses pool) throws IOException, InterruptedException {
    String kafka = pool.wiring().kafka();
    var journal = new Journal();
    try (var topics = new ReplyTopics(kafka, journal)) {
      topics.makeElsewhere();
      return torture(pool, kafka, journal, topics);
    } catch (TimeoutException e) {
      throw new IOException(e);
    }
  }

  private Report torture(PoolProcesses pool, String kafka, Journal journal, ReplyTopics topics)
      throws IOException, InterruptedException {
    var limits = new Limits(options.setup());
    try (var reader = LogReader.following(kafka, Journal.TOPICS, journal);
        var reattacher = new Reattacher(kafka, journal, plan);
        var replicas = new Replicas(kafka);
        var load = new Load(kafka);
        var hostile = new HostileCaller(kafka)) {
      var arena = new Arena(pool, load, journal, topics, hostile, new Victims(pool, progress));
      var adversary = new Adversary(arena, replicas, limits, progress);
      Thread striking = Thread.ofPlatform().name("adversary").start(() -> strike(adversary));
      load.run(plan);
      striking.join();
      adversary.awaitRecovery(options.setup().engines().startWithin());
      pool.wiring().healAll();
      progress.accept("the adversary has ended; waiting for what is under way");
      awaitEnds(arena, options.setup().engines().patience().plus(LAST_WORD));
      List<String> untold = load.awaitCallers(TELL_WITHIN);
      List<String> held = new IdlePool(pool, options.setup()).await(IDLE_WITHIN);
      adversary.close();
      reader.close();
      topics.close();
      reattacher.close();
      var findings =
          new Findings(arena, adversary, reattacher, lateReading(kafka), options.setup());
      return findings.report(options, held, untold);
    }
  }

  private void strike(Adversary adversary) {
    try {
      adversary.run(schedule, options.length());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** What Kafka did not take has no end. */
  private static void awaitEnds(Arena arena, Duration limit) throws InterruptedException {
    Journal journal = arena.journal();
    long end = System.nanoTime() + limit.toNanos();
    List<PlannedRequest> open =
        new ArrayList<>(arena.load().sent().stream().map(Load.Sent::request).toList());
    List<HostileCaller.Taken> hostile = new ArrayList<>(arena.hostile().taken());
    while (!(open.isEmpty() && hostile.isEmpty()) && System.nanoTime() - end < 0) {
      Thread.sleep(Duration.ofMillis(500));
      open.removeIf(
          request ->
              journal.isOver(request)
                  || (!journal.isAppended(request.id()) && arena.load().isUnsent(request.id())));
      hostile.removeIf(taken -> HostileCheck.isOver(taken, journal));
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
