package io.sluice.cli.operations;

import io.sluice.common.protocol.Json;
import io.sluice.config.PlainText;
import io.sluice.fleet.FleetReading;
import io.sluice.fleet.breaker.BreakerCause;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.fleet.breaker.OperatorOverride;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice breaker}: sets or removes an operator's override of a worker's breaker. */
@Command(
    name = "breaker",
    sortOptions = false,
    showDefaultValues = true,
    description = {
      "Open or close a worker's breaker manually, or return it to automatic operation.",
      "While it is open, the worker accepts nothing new; running requests continue."
    },
    footer = {"", "The override stays in effect until it is removed with auto."})
public final class BreakerCommand implements Callable<Integer> {

  /** The actions of an operator. */
  enum Action {
    OPEN(OperatorOverride.FORCED_OPEN),
    CLOSE(OperatorOverride.FORCED_CLOSED),
    AUTO(OperatorOverride.AUTO);

    private final OperatorOverride override;

    Action(OperatorOverride override) {
      this.override = override;
    }
  }

  /** The output of {@code --json}. */
  private record Change(String worker, View before, View after) {}

  /** A breaker as shown to people. */
  private record View(String state, List<BreakerCause> causes, String reason, long epoch) {
    static View of(BreakerState state) {
      return new View(
          state.phase().name().toLowerCase(Locale.ROOT),
          state.causes(),
          state.reason(),
          state.epoch());
    }

    @Override
    public String toString() {
      String because =
          causes.stream()
              .map(cause -> cause.name().toLowerCase(Locale.ROOT))
              .collect(Collectors.joining(", "));
      return PlainText.line(
          state
              + (because.isEmpty() ? "" : " (" + because + ")")
              + (reason.isEmpty() ? "" : ": " + reason));
    }
  }

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "open|close|auto", description = "open, close or auto.")
  private Action action = Action.AUTO;

  @Parameters(index = "1", paramLabel = "WORKER_ID", description = "The worker's id.")
  private String worker = "";

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      defaultValue = "",
      description = "The reason, which is shown with the breaker.")
  private String reason = "";

  @Option(names = "--json", description = "Print the states before and after as JSON.")
  private boolean json;

  @Mixin private final PoolOptions pool = new PoolOptions();

  @Override
  public Integer call() {
    try (PoolOptions.Fleet fleet = pool.open()) {
      Change change = change(fleet);
      spec.commandLine()
          .getOut()
          .println(
              json
                  ? Json.text(change)
                  : "%s  before  %s%n%s  after   %s"
                      .formatted(worker, change.before(), worker, change.after()));
      spec.commandLine().getOut().flush();
      return 0;
    }
  }

  private Change change(PoolOptions.Fleet fleet) {
    FleetReading before = fleet.workers();
    PoolOptions.Fleet.requireKnown(worker, before);
    var word = new BreakerEvent.Overridden(action.override, reason);
    long now = Clock.systemUTC().millis();
    BreakerState after = fleet.apply(worker, new BreakerEvent.Timed(word, now));
    return new Change(worker, View.of(before.breaker(worker)), View.of(after));
  }
}
