package io.sluice.simulator.command;

import io.sluice.config.SettingsCommand;
import io.sluice.simulator.SimulatedEngine;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The {@code simulator} command: runs one simulated engine until it is stopped. */
public final class SimulatorCommand {

  /** The exit code that a shell reports for a process killed by SIGKILL. */
  private static final int KILLED = 137;

  private SimulatorCommand() {}

  /** Runs the command and its subcommand {@code fit} without the other commands. */
  public static void main(String[] args) {
    CommandLine command = new CommandLine(spec()).addSubcommand("fit", new FitCommand());
    command.getCommandSpec().mixinStandardHelpOptions(true);
    System.exit(command.execute(args));
  }

  /** Returns the command, for picocli. */
  public static CommandSpec spec() {
    return SettingsCommand.running(
        SimulatorSettings.SCHEMA,
        "Run a simulated vLLM server: an OpenAI-compatible engine without a GPU.",
        SimulatorCommand::run);
  }

  private static int run(SimulatorSettings settings, CommandLine command)
      throws InterruptedException {
    SimulatedEngine engine;
    try {
      engine = SimulatedEngine.start(settings.config(System.getenv()));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      command.getErr().println(e.getMessage());
      return ExitCode.SOFTWARE;
    }
    Runtime.getRuntime()
        .addShutdownHook(Thread.ofPlatform().unstarted(() -> engine.terminate().join()));
    announce(settings, engine, command);
    return switch (end(engine)) {
      case STOPPED -> ExitCode.OK;
      case ENGINE_DEATH -> ExitCode.SOFTWARE;
      case OUT_OF_MEMORY -> KILLED;
    };
  }

  private static void announce(
      SimulatorSettings settings, SimulatedEngine engine, CommandLine command) {
    command
        .getOut()
        .println(
            "Simulated %s ready at %s (Ctrl-C stops it)"
                .formatted(settings.profile().text(), engine.uri()));
    engine
        .adminPort()
        .ifPresent(
            admin ->
                command
                    .getOut()
                    .println("Fault controls at http://" + settings.host() + ":" + admin));
    command.getOut().flush();
  }

  private static SimulatedEngine.End end(SimulatedEngine engine) throws InterruptedException {
    try {
      return engine.ended().get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("The end of an engine is never an exception.", e);
    }
  }
}
