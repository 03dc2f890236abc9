package io.sluice.standalone;

import io.sluice.config.SettingsCommand;
import io.sluice.services.CommandKind;
import io.sluice.services.Commands;
import io.sluice.services.Commands.Entry;
import io.sluice.services.ServiceCommands;
import io.sluice.simulator.command.FitCommand;
import io.sluice.simulator.command.SimulatorCommand;
import io.sluice.simulator.command.SimulatorSettings;
import io.sluice.standalone.kafka.FatalFaults;
import io.sluice.standalone.pool.DemoCommand;
import io.sluice.standalone.pool.UpCommand;
import io.sluice.standalone.pool.WarmUpPoolCommand;
import io.sluice.standalone.verify.VerifyPoolCommand;
import io.sluice.verify.VerifyEngineCommand;
import java.util.List;
import java.util.stream.Stream;

/** The entry point of the {@code sluice} launcher. */
public final class Main {
  private static final List<Entry> LOCAL_POOL =
      List.of(
          new Entry("demo", CommandKind.STACK, DemoCommand::new),
          new Entry("up", CommandKind.STACK, UpCommand::new));

  private static final List<Entry> ENGINES =
      List.of(
          new Entry(
              "simulator",
              CommandKind.SERVICE,
              SimulatorCommand::spec,
              List.of(new Entry("fit", CommandKind.CLIENT, FitCommand::new))),
          new Entry("verify-pool", CommandKind.STACK, VerifyPoolCommand::new),
          new Entry("verify-engine", CommandKind.STACK, VerifyEngineCommand::new),
          new Entry("warm-up-pool", CommandKind.STACK, WarmUpPoolCommand::new));

  private static final Entry SIMULATOR_SETTINGS =
      new Entry(
          "simulator",
          CommandKind.CLIENT,
          () -> SettingsCommand.printing(SimulatorSettings.SCHEMA));

  /** What the launcher adds, from modules that are not on this class path. */
  private static final List<String> IN_A_CHECKOUT =
      List.of(
          "",
          "In a checkout there are also:",
          "  replay         Replay the pool's recorded traffic under other settings.",
          "  bench          Run a benchmark.",
          "  test           Run the tests.");

  private Main() {}

  public static void main(String[] arguments) {
    FatalFaults.announce(Commands::logFile);
    System.exit(commands().execute(arguments));
  }

  /**
   * Returns the commands of a production installation, and those for a machine without Kafka, Redis
   * and GPU.
   */
  static Commands commands() {
    return new Commands(
        Stream.of(LOCAL_POOL, production(), ENGINES).flatMap(List::stream).toList(), IN_A_CHECKOUT);
  }

  /** Returns the production commands; {@code config} also takes the simulator. */
  private static List<Entry> production() {
    return ServiceCommands.all().stream()
        .map(entry -> entry.name().equals("config") ? entry.with(SIMULATOR_SETTINGS) : entry)
        .toList();
  }
}
