package io.sluice.cli.deadletter;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.sluice.cli.ClientOptions;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.DurationConverter;
import io.sluice.common.protocol.Json;
import io.sluice.config.PlainText;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.deadletter.DeadLetter;
import io.sluice.producer.deadletter.DeadLetterFilter;
import io.sluice.producer.deadletter.Redrive;
import java.io.PrintWriter;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code dead-letters redrive}: sends the requests of dead letters again. */
@Command(
    name = "redrive",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Send the requests of dead letters again, each under a new id.",
    footer = {"", "A dead letter that was redriven before is skipped."})
public final class DeadLetterRedriveCommand implements Callable<Integer> {

  /** The output of {@code --json}. */
  private record Report(
      int redriven,
      int failed,
      boolean dryRun,
      @JsonProperty("letters") List<Redrive.Result> deadLetters) {}

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "ID",
      description = "The id of one request; otherwise use a filter, or --all.")
  private Optional<String> requestId = Optional.empty();

  @Mixin private final DeadLetterSelection selection = new DeadLetterSelection();

  @Option(names = "--all", description = "Redrive all that were not redriven before.")
  private boolean isAll;

  @Option(names = "--dry-run", description = "Print what would be sent, and send nothing.")
  private boolean isDryRun;

  @Option(
      names = "--reset-deadline",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "How long to wait for the answers from now on. By default each request keeps its own; a"
              + " deadline that has passed is replaced by the default of its priority.")
  private Optional<Duration> timeout = Optional.empty();

  @Option(names = "--json", description = "Print the ids as JSON.")
  private boolean isJson;

  @Mixin private final ClientOptions client = new ClientOptions();

  @Override
  public Integer call() {
    DeadLetterFilter filter = filter();
    ClientConfig config = client.clientConfig();
    Report report =
        ClientOptions.reach(
            config,
            () -> {
              try (Redrive redrive = Redrive.open(config)) {
                return report(redrive, filter);
              }
            });
    print(report);
    return report.failed() == 0 ? 0 : 1;
  }

  private DeadLetterFilter filter() {
    int ways = (requestId.isPresent() ? 1 : 0) + (selection.isEmpty() ? 0 : 1) + (isAll ? 1 : 0);
    if (ways != 1) {
      throw new ParameterException(
          spec.commandLine(),
          "give either one ID, or filters (--code, --tenant, --model, --since), or --all");
    }
    return requestId.map(DeadLetterFilter::of).orElseGet(() -> selection.filter(Clock.systemUTC()));
  }

  private Report report(Redrive redrive, DeadLetterFilter filter) {
    if (requestId.isPresent() || isDryRun) {
      List<DeadLetter> found = redrive.find(filter);
      requestId.ifPresent(id -> check(id, found));
      if (isDryRun) {
        return report(
            found.stream().filter(Redrive::isOpen).map(Redrive.Result::expected).toList());
      }
    }
    return report(redrive.redrive(filter, timeout));
  }

  private void check(String id, List<DeadLetter> found) {
    if (found.isEmpty()) {
      throw new CommandFailedException(
          "no dead letter of request %s: check the id; dead letters are kept for two days"
              .formatted(id));
    }
    if (found.getLast().isUnprocessed()) {
      throw new CommandFailedException(
          "%s cannot be redriven: a router failed to process it (%s)"
              .formatted(id, found.getLast().message()));
    }
    found
        .getLast()
        .redrivenAs()
        .ifPresent(newId -> note("%s was already redriven, as %s".formatted(id, newId)));
  }

  private Report report(List<Redrive.Result> results) {
    int failed = (int) results.stream().filter(result -> result.problem().isPresent()).count();
    return new Report(results.size() - failed, failed, isDryRun, results);
  }

  private void print(Report report) {
    PrintWriter out = spec.commandLine().getOut();
    if (isJson) {
      out.println(Json.text(report));
    } else {
      for (Redrive.Result result : report.deadLetters()) {
        if (result.problem().isEmpty()) {
          out.println(PlainText.line(result.requestId() + " -> " + result.newId() + place(result)));
        } else {
          note("%s was not redriven: %s".formatted(result.requestId(), result.problem().get()));
        }
      }
      out.println((isDryRun ? "would redrive " : "redriven ") + report.redriven());
      if (!isDryRun && report.redriven() > 0) {
        note(
            "read an answer with ./sluice attach NEW_ID --wait 2m; a bulk request may take longer");
      }
    }
    out.flush();
  }

  /** Returns the options that attach needs in addition to the id. */
  private static String place(Redrive.Result result) {
    return result.replyTo().map(" --reply-to "::concat).orElse("")
        + (result.replyPartition().isPresent()
            ? " --reply-partition " + result.replyPartition().getAsInt()
            : "");
  }

  private void note(String line) {
    spec.commandLine().getErr().println(PlainText.line(line));
    spec.commandLine().getErr().flush();
  }
}
