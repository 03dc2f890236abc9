package io.sluice.bench.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** One run: a pool, a load, an adversary, and what the checker finds afterwards. */
final class TortureRun {
  /** For the longest deadline to pass, and the last word to be said. */
  private static final Duration DRAIN = Duration.ofSeconds(200);

  private static final Duration IDLE_WITHIN = Duration.ofSeconds(30);
  private static final Duration TELL_WITHIN = Duration.ofSeconds(30);
  private static final Duration RECOVER_WITHIN = Duration.ofMinutes(3);
  private static final PoolSize SIZE = PoolSize.STANDARD;

  /**
   * What is run.
   *
   * @param length of the load; a run also takes the start, and the time until all has ended
   * @param rate requests per second
   * @param blowEvery mean time between two blows
   * @param blows of which there are only those whose labels hold one of these; all if empty
   */
  record Options(long seed, Duration length, double rate, Duration blowEvery, List<String> blows) {
    Options {
      blows = List.copyOf(blows);
    }

    boolean isWanted(String label) {
      return blows.isEmpty() || blows.stream().anyMatch(label::contains);
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
    this.plan = LoadPlan.of(options.seed(), options.length(), options.rate());
    this.schedule =
        Schedule.of(options.seed(), SIZE, options.length(), options.blowEvery(), options::isWanted);
    this.folder = folder;
    this.progress = progress;
  }

  /**
   * Runs it all.
   *
   * @throws IOException if the pool cannot be started
   */
  Report run() throws IOException, InterruptedException {
    var pool = new PoolProcesses(SIZE, folder);
    Thread onExit = new Thread(pool::close, "pool-kill");
    Runtime.getRuntime().addShutdownHook(onExit);
    try (pool) {
      progress.accept("starting %s in %s".formatted(SIZE, folder));
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
    var limits = new Limits(SIZE);
    try (var reader = LogReader.following(kafka, journal);
        var reattacher = new Reattacher(kafka, journal, plan);
        var replicas = new Replicas(kafka);
        var adversary = new Adversary(pool, replicas, limits, progress);
        var load = new Load(kafka)) {
      Thread striking = Thread.ofPlatform().name("adversary").start(() -> strike(adversary));
      load.run(plan);
      striking.join();
      adversary.awaitRecovery(RECOVER_WITHIN);
      pool.wiring().healAll();
      progress.accept("the adversary has ended; waiting for what is under way");
      awaitEnds(journal, load);
      List<String> untold = load.awaitCallers(TELL_WITHIN);
      List<String> held = new IdlePool(pool, SIZE).await(IDLE_WITHIN);
      reader.close();
      reattacher.close();
      var findings = new Findings(journal, adversary, load, reattacher);
      return findings.report(options, plan, lateReading(kafka), held, untold);
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
  private void awaitEnds(Journal journal, Load load) throws InterruptedException {
    long end = System.nanoTime() + DRAIN.toNanos();
    List<PlannedRequest> open = new ArrayList<>(plan);
    while (!open.isEmpty() && System.nanoTime() - end < 0) {
      Thread.sleep(Duration.ofMillis(500));
      open.removeIf(
          request ->
              journal.isOver(request.id())
                  || (!journal.isAppended(request.id()) && load.isUnsent(request.id())));
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
