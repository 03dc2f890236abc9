package io.sluice.cli.deadletter;

import io.sluice.cli.ClientOptions;
import io.sluice.common.protocol.Json;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.deadletter.DeadLetter;
import io.sluice.producer.deadletter.DeadLetterLog;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code dead-letters list}: lists the requests that could not be answered. */
@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "List the requests that could not be answered, latest last.")
public final class DeadLetterListCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Mixin private final DeadLetterSelection selection = new DeadLetterSelection();

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description =
          "The maximum number of dead letters, the latest ones (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Option(names = "--json", description = "Print one line of JSON per dead letter.")
  private boolean isJson;

  @Mixin private final ClientOptions client = new ClientOptions();

  @Override
  public Integer call() {
    if (limit < 1) {
      throw new ParameterException(spec.commandLine(), "--limit must be at least 1");
    }
    ClientConfig config = client.clientConfig();
    List<DeadLetter> all =
        ClientOptions.reach(
            config,
            () -> {
              try (DeadLetterLog log = DeadLetterLog.open(config)) {
                return log.list(selection.filter(Clock.systemUTC()));
              }
            });
    List<DeadLetter> shown = all.subList(Math.max(0, all.size() - limit), all.size());
    print(shown);
    if (shown.size() < all.size()) {
      note("the latest %d of %d; --limit shows more".formatted(shown.size(), all.size()));
    }
    return 0;
  }

  private void print(List<DeadLetter> deadLetters) {
    PrintWriter out = spec.commandLine().getOut();
    if (isJson) {
      deadLetters.forEach(deadLetter -> out.println(Json.text(deadLetter)));
    } else if (deadLetters.isEmpty()) {
      note("no dead letters");
    } else {
      out.print(DeadLetterTable.of(deadLetters));
    }
    out.flush();
  }

  private void note(String line) {
    spec.commandLine().getErr().println(line);
    spec.commandLine().getErr().flush();
  }
}
