package io.sluice.standalone;

import io.sluice.cli.request.AttachCommand;
import io.sluice.producer.command.BatchCommand;
import io.sluice.cli.request.CancelCommand;
import io.sluice.cli.request.ChatCommand;
import io.sluice.cli.deadletter.DeadLettersCommand;
import io.sluice.cli.deadletter.LettersListCommand;
import io.sluice.cli.deadletter.LettersRedriveCommand;
import io.sluice.cli.deadletter.LettersShowCommand;
import io.sluice.cli.request.WhyCommand;
import io.sluice.cli.operations.BreakerCommand;
import io.sluice.cli.operations.TopCommand;
import io.sluice.cli.operations.WorkerDrainCommand;
import io.sluice.cli.operations.WorkerListCommand;
import io.sluice.cli.operations.WorkerResumeCommand;
import io.sluice.router.app.RouterCommand;
import io.sluice.simulator.command.FitCommand;
import io.sluice.simulator.command.SimulatorCommand;
import io.sluice.standalone.pool.DemoCommand;
import io.sluice.standalone.pool.UpCommand;
import io.sluice.standalone.verify.VerifyPoolCommand;
import io.sluice.verify.VerifyEngineCommand;
import io.sluice.worker.app.WorkerCommand;
import java.util.List;
import java.util.Optional;
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
   * @param beneath commands of its own, such as {@code worker list}
   */
  record Entry(String name, CommandKind kind, Supplier<Object> command, List<Entry> beneath) {
    Entry(String name, CommandKind kind, Supplier<Object> command) {
      this(name, kind, command, List.of());
    }
  }

  private static final List<Entry> ENTRIES =
      List.of(
          new Entry("demo", CommandKind.STACK, DemoCommand::new),
          new Entry("up", CommandKind.STACK, UpCommand::new),
          new Entry("chat", CommandKind.CLIENT, ChatCommand::new),
          new Entry("batch", CommandKind.CLIENT, BatchCommand::new),
          new Entry("attach", CommandKind.CLIENT, AttachCommand::new),
          new Entry("cancel", CommandKind.CLIENT, CancelCommand::new),
          new Entry("why", CommandKind.CLIENT, WhyCommand::new),
          new Entry(
              "dead-letters",
              CommandKind.CLIENT,
              DeadLettersCommand::new,
              List.of(
                  new Entry("list", CommandKind.CLIENT, LettersListCommand::new),
                  new Entry("show", CommandKind.CLIENT, LettersShowCommand::new),
                  new Entry("redrive", CommandKind.CLIENT, LettersRedriveCommand::new))),
          new Entry("top", CommandKind.CLIENT, TopCommand::new),
          new Entry("breaker", CommandKind.CLIENT, BreakerCommand::new),
          new Entry("router", CommandKind.SERVICE, RouterCommand::new),
          new Entry(
              "worker",
              CommandKind.SERVICE,
              WorkerCommand::new,
              List.of(
                  new Entry("list", CommandKind.CLIENT, WorkerListCommand::new),
                  new Entry("drain", CommandKind.CLIENT, WorkerDrainCommand::new),
                  new Entry("resume", CommandKind.CLIENT, WorkerResumeCommand::new))),
          new Entry(
              "simulator",
              CommandKind.SERVICE,
              SimulatorCommand::new,
              List.of(new Entry("fit", CommandKind.CLIENT, FitCommand::new))),
          new Entry("verify-pool", CommandKind.STACK, VerifyPoolCommand::new),
          new Entry("verify-engine", CommandKind.CLIENT, VerifyEngineCommand::new),
          new Entry("warm-up", CommandKind.CLIENT, WarmUpCommand::new));

  private Commands() {}

  static List<Entry> all() {
    return ENTRIES;
  }

  /** The kind of the command that is named in the arguments; a client if there is none. */
  static CommandKind kindOf(String... arguments) {
    return named(ENTRIES, List.of(arguments)).map(Commands::kindOf).orElse(CommandKind.CLIENT);
  }

  private static CommandKind kindOf(Named named) {
    return named(named.entry().beneath(), named.behind().stream().limit(1).toList())
        .map(beneath -> beneath.entry().kind())
        .orElse(named.entry().kind());
  }

  private record Named(Entry entry, List<String> behind) {}

  private static Optional<Named> named(List<Entry> entries, List<String> arguments) {
    for (int at = 0; at < arguments.size(); at++) {
      for (Entry entry : entries) {
        if (entry.name().equals(arguments.get(at))) {
          return Optional.of(new Named(entry, arguments.subList(at + 1, arguments.size())));
        }
      }
    }
    return Optional.empty();
  }
}
