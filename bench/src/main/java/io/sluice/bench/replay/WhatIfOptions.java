package io.sluice.bench.replay;

import io.sluice.bench.fleet.compare.Contestant;
import io.sluice.bench.replay.log.RecordedRequest;
import io.sluice.bench.replay.model.ModelFleet;
import io.sluice.bench.replay.model.Scenario;
import io.sluice.bench.replay.model.Setup;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.DurationConverter;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.router.app.RouterConfig;
import io.sluice.router.policy.PolicyWeights;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that say what to change, and how the pool was when the traffic was recorded. */
final class WhatIfOptions {
  @Option(
      names = "--weights",
      paramLabel = "NAME=NUMBER,...",
      converter = WeightsConverter.class,
      description = "What if: other weights, as of the router's --weights.")
  private Optional<PolicyWeights> weights = Optional.empty();

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      description = "What if: another policy. ${COMPLETION-CANDIDATES}. Default: sluice.",
      completionCandidates = PolicyNames.class)
  private Optional<String> policy = Optional.empty();

  @Option(
      names = "--max-wait",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "What if: another --max-wait of the routers.")
  private Optional<Duration> maxWait = Optional.empty();

  @Option(
      names = "--engines",
      paramLabel = "N",
      description = "What if: the number of engines, of the pool's kinds in turn, or of --profile.")
  private Optional<Integer> engines = Optional.empty();

  @Option(
      names = "--profile",
      split = ",",
      paramLabel = "GPU",
      description =
          "What if: engines of these profiles in turn, each of which serves all models, as in bench"
              + " fleet.")
  private List<String> profiles = List.of();

  @Option(
      names = "--slots",
      paramLabel = "N",
      description = "What if: the maximum number of requests in an engine.")
  private Optional<Integer> slots = Optional.empty();

  @Option(
      names = "--model-weights",
      paramLabel = "NAME=NUMBER,...",
      converter = WeightsConverter.class,
      description =
          "The weights that the routers had. Default: SLUICE_WEIGHTS or --router-config, or else"
              + " their defaults.")
  private Optional<PolicyWeights> modelWeights = Optional.empty();

  @Option(
      names = "--model-slots",
      paramLabel = "N",
      description =
          "The maximum number of requests that the workers took (max-concurrent). Default: the"
              + " present limit of"
              + " each.")
  private Optional<Integer> modelSlots = Optional.empty();

  private static final class PolicyNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return names().iterator();
    }
  }

  private static final class WeightsConverter implements ITypeConverter<PolicyWeights> {
    @Override
    public PolicyWeights convert(String text) {
      try {
        return PolicyWeights.parse(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(String.valueOf(e.getMessage()));
      }
    }
  }

  private static List<String> names() {
    return Stream.concat(
            Stream.of(Setup.SLUICE),
            Contestant.names().stream().filter(name -> !name.startsWith(Setup.SLUICE)))
        .toList();
  }

  /** Returns what is wrong with the values; empty if nothing is. */
  Optional<String> problem() {
    boolean isTooFew =
        Stream.of(engines, slots, modelSlots)
            .flatMap(Optional::stream)
            .anyMatch(number -> number < 1);
    return isTooFew
        ? Optional.of("--engines, --slots and --model-slots must be more than 0")
        : Optional.empty();
  }

  /**
   * Returns the pool as it was: its workers as they are now, or, if it has none, those of the
   * options.
   *
   * @throws CommandFailedException if there is no fleet
   * @throws IllegalArgumentException if a profile does not exist, or has no room for the requests
   */
  Scenario model(
      List<WorkerSnapshot> workers, List<RecordedRequest> requests, RouterConfig router) {
    if (workers.isEmpty() && profiles.isEmpty()) {
      throw new CommandFailedException(
          "the pool has no worker now on which a fleet could be modelled: start its workers, or"
              + " name engines with --engines and --profile");
    }
    ModelFleet fleet =
        workers.isEmpty()
            ? ModelFleet.of(profiles, engines.orElse(profiles.size()), requests, most(modelSlots))
            : ModelFleet.of(workers, requests, most(modelSlots));
    return new Scenario(
        fleet,
        new Setup(Setup.SLUICE, modelWeights.orElse(router.weights()), router.limits().maxWait()));
  }

  /**
   * Returns the additional scenario that is asked for; empty if there is none.
   *
   * @throws IllegalArgumentException if a profile does not exist, or has no room for the requests
   */
  Optional<Scenario> whatIf(
      Scenario model, List<WorkerSnapshot> workers, List<RecordedRequest> requests) {
    var setup =
        new Setup(
            policy.orElse(Setup.SLUICE),
            weights.orElse(model.setup().weights()),
            maxWait.orElse(model.setup().maxWait()));
    var scenario = new Scenario(fleet(model.fleet(), workers, requests), setup);
    return scenario.equals(model) && weights.isEmpty() && policy.isEmpty() && maxWait.isEmpty()
        ? Optional.empty()
        : Optional.of(scenario);
  }

  private ModelFleet fleet(
      ModelFleet model, List<WorkerSnapshot> workers, List<RecordedRequest> requests) {
    OptionalInt limit = slots.isPresent() ? most(slots) : most(modelSlots);
    if (!profiles.isEmpty()) {
      return ModelFleet.of(profiles, engines.orElse(model.engines()), requests, limit);
    }
    ModelFleet same =
        slots.isPresent() && !workers.isEmpty() ? ModelFleet.of(workers, requests, limit) : model;
    return same.withEngines(engines.orElse(model.engines()));
  }

  private static OptionalInt most(Optional<Integer> number) {
    return number.map(OptionalInt::of).orElse(OptionalInt.empty());
  }
}
