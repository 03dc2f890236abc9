package io.sluice.cli.deadletter;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code dead-letters}: holds {@code list}, {@code show} and {@code redrive}. */
@Command(
    name = "dead-letters",
    mixinStandardHelpOptions = true,
    description = "Requests that could not be answered: list them, look at one, send them again.")
public final class DeadLettersCommand implements Runnable {

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name one of list, show and redrive");
  }
}
