package io.sluice.worker.app;

import io.sluice.config.SettingsCommand;
import io.sluice.config.StopSignal;
import io.sluice.worker.config.WorkerConfig;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** {@code sluice worker}: runs one worker until it is told to stop. */
public final class WorkerCommand {
  /** An engine may take long to load; the log says what is missing. */
  private static final Duration ENGINE_WITHIN = Duration.ofDays(365);

  private WorkerCommand() {}

  /** Returns the command, for picocli. */
  public static CommandSpec spec() {
    return SettingsCommand.running(
        WorkerConfig.SCHEMA,
        "Run a worker: feed one engine from its topic and stream the tokens back.",
        WorkerCommand::run);
  }

  private static int run(WorkerConfig config, CommandLine command) throws InterruptedException {
    Worker worker = Worker.start(config);
    StopSignal stop = StopSignal.running(worker::close);
    announce(worker, command);
    stop.await();
    return 0;
  }

  /** Says when the worker is ready; it waits for an engine that is not there yet. */
  private static void announce(Worker worker, CommandLine command) throws InterruptedException {
    if (worker.awaitReady(ENGINE_WITHIN)) {
      command
          .getOut()
          .printf("worker %s ready: health on port %s%n", worker.id(), worker.httpPort());
      command.getOut().flush();
    }
  }
}
