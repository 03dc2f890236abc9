package io.sluice.services;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class CommandsTest {

  @Test
  void noCommandIsWrongUsageInOneLine() {
    // When
    Outcome outcome = run(commandLine(false));

    // Then
    assertThat(outcome.exitCode()).isEqualTo(2);
    assertThat(outcome.errors()).isEqualTo("sluice: Missing command (see: sluice --help)");
  }

  @Test
  void anUnknownCommandIsNamed() {
    // When
    Outcome outcome = run(commandLine(false), "nope");

    // Then
    assertThat(outcome.exitCode()).isEqualTo(2);
    assertThat(outcome.errors()).contains("'nope'").doesNotContain("\n");
  }

  @Test
  void helpDoesNotListHiddenCommands() {
    // When
    Outcome outcome = run(commandLine(false), "--help");

    // Then
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.output()).contains("Usage: sluice").doesNotContain("warm-up");
  }

  @Test
  void aFailureIsOneLineWithoutAStackTrace() {
    // When
    Outcome outcome = run(withFailing(commandLine(false)), "fail");

    // Then
    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.errors()).isEqualTo("sluice: it broke; do this");
  }

  @Test
  void verboseAddsTheStackTrace() {
    // When
    Outcome outcome = run(withFailing(commandLine(true)), "fail", "--verbose");

    // Then
    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.errors())
        .startsWith("sluice: it broke; do this")
        .contains("IllegalStateException", "\tat ");
  }

  @Test
  void onlyTheClientCommandThatIsNamedIsBuilt() {
    // Given
    Commands commands = new Commands(ServiceCommands.all());

    // When
    CommandLine chat = commands.needed("chat", "worker").commandLine(false);
    CommandLine listing = commands.needed("--help", "chat").commandLine(false);
    CommandLine service = commands.needed("worker", "list").commandLine(false);
    CommandLine none = commands.needed().commandLine(false);

    // Then
    assertThat(chat.getSubcommands()).containsOnlyKeys("chat");
    assertThat(listing.getSubcommands()).hasSameSizeAs(ServiceCommands.all());
    assertThat(service.getSubcommands()).hasSameSizeAs(ServiceCommands.all());
    assertThat(none.getSubcommands()).hasSameSizeAs(ServiceCommands.all());
  }

  @Command(name = "fail")
  static final class Failing implements Callable<Integer> {
    @Override
    public Integer call() {
      throw new IllegalStateException("it broke;\n do this");
    }
  }

  private static CommandLine commandLine(boolean verbose) {
    return new Commands(ServiceCommands.all()).commandLine(verbose);
  }

  private record Outcome(int exitCode, String output, String errors) {}

  private static CommandLine withFailing(CommandLine root) {
    // The subcommand takes over the handlers of the root it is added to when they are set again.
    return root.addSubcommand("fail", new Failing())
        .setExecutionExceptionHandler(root.getExecutionExceptionHandler());
  }

  private static Outcome run(CommandLine root, String... arguments) {
    var output = new StringWriter();
    var errors = new StringWriter();
    int exitCode =
        root.setOut(new PrintWriter(output)).setErr(new PrintWriter(errors)).execute(arguments);
    return new Outcome(exitCode, output.toString(), errors.toString().strip());
  }
}
