package io.sluice.services;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine;

/**
 * The commands of a command line. Each is a picocli command class of the module it belongs to;
 * being listed here is all it needs to be found.
 */
public final class Commands {

  /**
   * One command.
   *
   * @param name as typed by the user
   * @param kind decides where its log goes
   * @param command makes the picocli command object
   * @param beneath commands of its own, such as {@code worker list}
   */
  public record Entry(
      String name, CommandKind kind, Supplier<Object> command, List<Entry> beneath) {
    public Entry {
      beneath = List.copyOf(beneath);
    }

    public Entry(String name, CommandKind kind, Supplier<Object> command) {
      this(name, kind, command, List.of());
    }
  }

  private final List<Entry> entries;

  /** These commands, listed by {@code --help} in this order. */
  public Commands(List<Entry> entries) {
    this.entries = List.copyOf(entries);
  }

  /** Runs the command that is named in the arguments; returns the process's exit code. */
  public int execute(String... arguments) {
    boolean verbose =
        Arrays.asList(arguments).contains("--verbose") || System.getenv("SLUICE_DEBUG") != null;
    Logging.configure(kindOf(arguments), verbose);
    return commandLine(verbose).execute(arguments);
  }

  /** The whole command line, which reports a failure as one line. */
  public CommandLine commandLine(boolean verbose) {
    return SluiceCommand.commandLine(entries, verbose);
  }

  /** The kind of the command that is named in the arguments; a client if there is none. */
  CommandKind kindOf(String... arguments) {
    return named(entries, List.of(arguments)).map(Commands::kindOf).orElse(CommandKind.CLIENT);
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
