package io.sluice.cli.request;

import io.sluice.cli.ClientOptions;
import io.sluice.cli.CommandFailedException;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.RoutingDecision;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.DecisionLog;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code why ID}: shows the candidates for a request, and why one of them was chosen. */
@Command(
    name = "why",
    mixinStandardHelpOptions = true,
    description =
        "Explain which worker a request was sent to, and why, or that it waits for one to start."
            + " Decisions are kept for an hour.")
public final class WhyCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Parameters(paramLabel = "ID", description = "The request's id.")
  private String requestId = "";

  @Option(
      names = "--json",
      description =
          "Print one line of JSON per attempt, and one if it waits for a worker to start.")
  private boolean isJson;

  @Mixin private final ClientOptions client = new ClientOptions();

  private final Supplier<Meanings> meanings;

  /**
   * Creates the command.
   *
   * @param meanings explain the names; read when the command runs, because every command line
   *     creates every command
   */
  public WhyCommand(Supplier<Meanings> meanings) {
    this.meanings = meanings;
  }

  @Override
  public Integer call() {
    ClientConfig config = client.clientConfig();
    DecisionLog.Story story =
        ClientOptions.reach(config, () -> DecisionLog.story(config, requestId));
    List<RoutingDecision> decisions = story.decisions();
    if (decisions.isEmpty() && story.unserved().isEmpty()) {
      throw new CommandFailedException(
          "no decision about request "
              + requestId
              + ": check the id; decisions are kept for an hour, and a request that was"
              + " rejected or is still waiting for room has none");
    }
    PrintWriter out = spec.commandLine().getOut();
    for (RoutingDecision decision : decisions) {
      out.print(isJson ? Json.text(decision) + System.lineSeparator() : DecisionTable.of(decision));
    }
    story
        .unserved()
        .map(
            unserved ->
                isJson ? Json.text(unserved) + System.lineSeparator() : UnservedText.of(unserved))
        .ifPresent(out::print);
    if (!isJson) {
      out.print(DecisionTable.legend(decisions, meanings.get()));
    }
    out.flush();
    return 0;
  }
}
