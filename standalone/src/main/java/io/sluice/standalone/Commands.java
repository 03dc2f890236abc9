package io.sluice.standalone;

import io.sluice.producer.command.BatchCommand;
import io.sluice.producer.command.ChatCommand;
import io.sluice.router.app.BreakerCommand;
import io.sluice.router.app.RouterCommand;
import io.sluice.simulator.SimulatorCommand;
import io.sluice.standalone.pool.DemoCommand;
import io.sluice.standalone.pool.UpCommand;
import io.sluice.worker.app.WorkerCommand;
import java.util.List;
import java.util.function.Supplier;

/**
 * The commands of the launcher. Each is a picocli command class of the module it belongs to; being
 * listed here is all it needs to be found.
 */
final class Commands {

  /**
   * One command.
   *
   * @param name as typed by the user
   * @param kind decides where its log goes
   * @param command makes the picocli command object
   */
  record Entry(String name, CommandKind kind, Supplier<Object> command) {}

  private static final List<Entry> ENTRIES =
      List.of(
          new Entry("demo", CommandKind.STACK, DemoCommand::new),
          new Entry("up", CommandKind.STACK, UpCommand::new),
          new Entry("chat", CommandKind.CLIENT, ChatCommand::new),
          new Entry("batch", CommandKind.CLIENT, BatchCommand::new),
          new Entry("breaker", CommandKind.CLIENT, BreakerCommand::new),
          new Entry("router", CommandKind.SERVICE, RouterCommand::new),
          new Entry("worker", CommandKind.SERVICE, WorkerCommand::new),
          new Entry("simulator", CommandKind.SERVICE, SimulatorCommand::new),
          new Entry("warm-up", CommandKind.CLIENT, WarmUpCommand::new));

  private Commands() {}

  static List<Entry> all() {
    return ENTRIES;
  }

  /** The kind of the first command named in the arguments; a client if there is none. */
  static CommandKind kindOf(String... arguments) {
    for (String argument : arguments) {
      for (Entry entry : ENTRIES) {
        if (entry.name().equals(argument)) {
          return entry.kind();
        }
      }
    }
    return CommandKind.CLIENT;
  }
}
