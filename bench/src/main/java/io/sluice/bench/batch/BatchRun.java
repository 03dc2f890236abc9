package io.sluice.bench.batch;

import io.sluice.bench.direct.DirectCaller;
import io.sluice.bench.direct.DirectReply;
import io.sluice.bench.direct.Question;
import io.sluice.bench.direct.QuickEngine;
import io.sluice.bench.process.ChildProcess;
import io.sluice.bench.process.EngineKind;
import io.sluice.bench.process.EngineProcess;
import io.sluice.simulator.SimulatedEngine;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One run: engines, a pool that uses them, a batch during which engines are killed, and its
 * results.
 */
final class BatchRun {
  private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

  /**
   * A batch is stuck if no line is finished for this long, beyond the time that an engine may take
   * to start.
   */
  private static final Duration STUCK_AFTER = Duration.ofMinutes(3);

  /**
   * The parameters of a run.
   *
   * @param count how many engines
   * @param maxInFlight how many lines are in flight at once
   */
  record Options(EngineKind engines, int count, int lines, int kills, int maxInFlight, long seed) {}

  private final Options options;
  private final Path folder;
  private final Consumer<String> progress;

  BatchRun(Options options, Path folder, Consumer<String> progress) {
    this.options = options;
    this.folder = folder;
    this.progress = progress;
  }

  /**
   * Runs the batch, kills engines meanwhile, and checks the results.
   *
   * @throws IOException if engines or the pool cannot be started
   */
  Report run() throws IOException, InterruptedException {
    List<PlannedLine> lines = BatchPlan.of(options.seed(), options.lines(), options.engines());
    Files.createDirectories(folder);
    try (var processes = new BatchProcesses(options, folder)) {
      Files.write(processes.input(), lines.stream().map(PlannedLine::text).toList());
      progress.accept("starting %d engines and a pool in %s".formatted(options.count(), folder));
      processes.start();
      progress.accept("running a batch of %d lines".formatted(lines.size()));
      return run(processes, lines);
    }
  }

  private Report run(BatchProcesses processes, List<PlannedLine> lines)
      throws IOException, InterruptedException {
    try (var kills = new EngineKills(processes.engines(), options, progress)) {
      long started = System.nanoTime();
      List<String> problems = new ArrayList<>();
      try (ChildProcess batch = processes.batch()) {
        batch.start();
        awaitEnd(batch, processes, kills).ifPresent(problems::add);
      }
      Duration took = Duration.ofNanos(System.nanoTime() - started);
      progress.accept("the batch has ended after %d s".formatted(took.toSeconds()));
      kills.awaitRestarts();
      if (kills.done().size() < options.kills()) {
        problems.add("the batch ended before all kills were done; use more lines (--lines)");
      }
      Map<String, DirectReply> direct = direct(processes.engines().getFirst(), lines);
      Results results = Results.of(processes.output(), processes.errors());
      Verdict verdict = Checker.check(lines, results, direct);
      problems.forEach(verdict::found);
      return new Report(options, kills.done(), verdict, took);
    }
  }

  /** Waits for the end of the batch; returns what went wrong, empty if nothing did. */
  private Optional<String> awaitEnd(ChildProcess batch, BatchProcesses processes, EngineKills kills)
      throws IOException, InterruptedException {
    Duration patience = options.engines().startWithin().plus(STUCK_AFTER);
    var output = new GrowingFile(processes.output());
    var errors = new GrowingFile(processes.errors());
    int finished = 0;
    long since = System.nanoTime();
    while (batch.isAlive()) {
      int now = output.lines() + errors.lines();
      if (now > finished) {
        finished = now;
        since = System.nanoTime();
      } else if (System.nanoTime() - since > patience.toNanos()) {
        batch.kill();
        return Optional.of(
            "stuck: no line was finished for %d s after %d of %d"
                .formatted(patience.toSeconds(), finished, options.lines()));
      }
      kills.killIfDue(finished);
      TimeUnit.NANOSECONDS.sleep(LOOK_AGAIN.toNanos());
    }
    // Codes 0 and 1 say whether all lines were answered; any other code means that it gave up.
    int code = batch.exitCode().orElseThrow();
    int wanted = errors.lines() > 0 ? 1 : 0;
    return code == wanted
        ? Optional.empty()
        : Optional.of("the batch command ended with code %d; see batch.log".formatted(code));
  }

  /** Returns the replies of a separate simulated engine, or of a real one after the last kill. */
  private Map<String, DirectReply> direct(EngineProcess engine, List<PlannedLine> lines)
      throws IOException, InterruptedException {
    progress.accept("asking an undisturbed engine for the same answers");
    List<Question> questions = lines.stream().flatMap(line -> line.question().stream()).toList();
    try (var caller = new DirectCaller()) {
      if (!options.engines().isSimulated()) {
        return caller.ask(questions, question -> engine.uri(""));
      }
      EngineKind kind = options.engines();
      try (SimulatedEngine own = QuickEngine.start(kind.model(), kind.maxModelLen())) {
        URI uri = own.uri();
        return caller.ask(questions, question -> uri);
      }
    }
  }
}
