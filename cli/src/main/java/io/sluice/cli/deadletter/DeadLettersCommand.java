package io.sluice.cli.deadletter;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code dead-letters}: contains {@code list}, {@code show} and {@code redrive}. */
@Command(
    name = "dead-letters",
    mixinStandardHelpOptions = true,
    description = "List, show or redrive the requests that could not be answered.")
public final class DeadLettersCommand implements Runnable {

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing command: list, show or redrive");
  }
}
