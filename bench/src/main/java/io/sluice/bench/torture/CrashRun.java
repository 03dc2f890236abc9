package io.sluice.bench.torture;

import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.torture.checker.ReferenceAnswers;
import io.sluice.bench.torture.clients.HttpChecks;
import io.sluice.bench.torture.clients.HttpLoad;
import io.sluice.bench.torture.clients.HttpReport;
import io.sluice.bench.torture.load.LoadGenerator;
import io.sluice.bench.torture.log.Journal;
import io.sluice.bench.torture.log.LogReader;
import io.sluice.bench.torture.log.ReplyTopics;
import io.sluice.bench.torture.pool.PoolProcesses;
import io.sluice.bench.torture.pool.PoolSetup;
import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Kills a gateway, a router and a worker together while clients read background responses. */
final class CrashRun {
  private static final PoolSetup SETUP = PoolSetup.STANDARD.withGateways(3);
  private static final List<Target> VICTIMS =
      List.of(Target.gateway(1), Target.router(1), Target.worker(1));

  /** The kill comes when one of this many responses is in mid-stream; others wait or have ended. */
  private static final int MID_STREAM = 8;

  private static final Duration MID_STREAM_WITHIN = Duration.ofSeconds(30);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(100);
  private static final Duration DEAD_FOR = Duration.ofSeconds(5);

  private final int responses;
  private final long seed;
  private final Path folder;
  private final Consumer<String> progress;

  CrashRun(int responses, long seed, Path folder, Consumer<String> progress) {
    this.responses = responses;
    this.seed = seed;
    this.folder = folder;
    this.progress = progress;
  }

  CrashReport run() throws IOException, InterruptedException {
    try (var pool = new PoolProcesses(SETUP, folder)) {
      progress.accept("starting %s in %s".formatted(SETUP, folder));
      pool.start();
      String kafka = pool.wiring().kafka();
      var journal = new Journal();
      // The journal reads this topic too.
      try (var topics = new ReplyTopics(kafka, journal)) {
        topics.createElsewhere();
      } catch (TimeoutException e) {
        throw new IOException(e);
      }
      try (var reader = LogReader.following(kafka, Journal.TOPICS, journal);
          var load =
              HttpLoad.responses(seed, responses, SETUP.engines(), new Gateways(pool.gateways()))) {
        return crash(pool, load, journal);
      }
    }
  }

  private CrashReport crash(PoolProcesses pool, HttpLoad load, Journal journal)
      throws IOException, InterruptedException {
    progress.accept("%d background responses".formatted(responses));
    load.start();
    long start = System.nanoTime();
    while (journal.running() < responses / MID_STREAM
        && System.nanoTime() - start < MID_STREAM_WITHIN.toNanos()) {
      Thread.sleep(LOOK_AGAIN);
    }
    int running = journal.running();
    progress.accept("kill -9 of %s".formatted(VICTIMS.stream().map(Target::id).toList()));
    long killed = System.nanoTime();
    for (Target victim : VICTIMS) {
      pool.kill(victim);
    }
    Thread.sleep(DEAD_FOR);
    for (Target victim : VICTIMS) {
      pool.startAgain(victim);
    }
    load.await();
    Duration over = Duration.ofNanos(System.nanoTime() - killed);
    progress.accept("all clients have their answers; reading them at every gateway");
    HttpReport report = new HttpChecks(journal).check(load);
    return new CrashReport(running, over, report.withMore(wrong(pool, load, journal)));
  }

  /** Returns the responses whose text is not that of an undisturbed engine. */
  private static Map<String, String> wrong(PoolProcesses pool, HttpLoad load, Journal journal)
      throws IOException, InterruptedException {
    try (ReferenceAnswers reference = ReferenceAnswers.of(SETUP, pool)) {
      return HttpChecks.wrongTexts(
          journal,
          reference.answers(load.sent().stream().map(LoadGenerator.Sent::request).toList()));
    }
  }
}
