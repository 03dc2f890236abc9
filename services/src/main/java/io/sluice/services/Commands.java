package io.sluice.services;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The commands of a command line. Each is a picocli command class of the module it belongs to; a
 * command exists if it is listed here.
 */
public final class Commands {

  /**
   * A command.
   *
   * @param name the name on the command line
   * @param kind determines where its log goes
   * @param command creates the picocli command object
   * @param subcommands its subcommands, such as {@code worker list}
   */
  public record Entry(
      String name, CommandKind kind, Supplier<Object> command, List<Entry> subcommands) {
    public Entry {
      subcommands = List.copyOf(subcommands);
    }

    public Entry(String name, CommandKind kind, Supplier<Object> command) {
      this(name, kind, command, List.of());
    }

    /** Returns this command with one more subcommand. */
    public Entry with(Entry subcommand) {
      return new Entry(
          name, kind, command, Stream.concat(subcommands.stream(), Stream.of(subcommand)).toList());
    }
  }

  private final List<Entry> entries;
  private final List<String> notes;

  /** Creates a command line with these commands, which {@code --help} lists in this order. */
  public Commands(List<Entry> entries) {
    this(entries, List.of());
  }

  /**
   * Creates such a command line.
   *
   * @param notes lines that {@code --help} adds below the commands
   */
  public Commands(List<Entry> entries, List<String> notes) {
    this.entries = List.copyOf(entries);
    this.notes = List.copyOf(notes);
  }

  /** Returns the file to which this process logs, if its log does not go to the console. */
  public static Optional<Path> logFile() {
    return Logging.file();
  }

  /** Runs the command that the arguments name; returns the exit code of the process. */
  public int execute(String... arguments) {
    boolean verbose =
        Arrays.asList(arguments).contains("--verbose") || System.getenv("SLUICE_DEBUG") != null;
    Logging.configure(kindOf(arguments), verbose);
    var _ = CarrierWatchdog.start();
    return needed(arguments).commandLine(verbose).execute(arguments);
  }

  /**
   * Returns the client command that the first argument names, because to build all commands takes
   * longer than most of those; all if it names none, since the answer may list them.
   */
  Commands needed(String... arguments) {
    List<Entry> named =
        entries.stream()
            .filter(entry -> entry.kind() == CommandKind.CLIENT)
            .filter(entry -> Arrays.stream(arguments).limit(1).anyMatch(entry.name()::equals))
            .toList();
    return named.isEmpty() ? this : new Commands(named, notes);
  }

  /** Returns the picocli command line, which reports a failure as one line. */
  public CommandLine commandLine(boolean verbose) {
    CommandLine root = SluiceCommand.commandLine(entries, verbose);
    UsageMessageSpec help = root.getCommandSpec().usageMessage();
    help.footer(Stream.concat(notes.stream(), Arrays.stream(help.footer())).toArray(String[]::new));
    return root;
  }

  /** Returns the kind of the command that the arguments name; a client if they name none. */
  CommandKind kindOf(String... arguments) {
    return named(entries, List.of(arguments)).map(Commands::kindOf).orElse(CommandKind.CLIENT);
  }

  private static CommandKind kindOf(Named named) {
    return named(named.entry().subcommands(), named.behind().stream().limit(1).toList())
        .map(subcommands -> subcommands.entry().kind())
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
