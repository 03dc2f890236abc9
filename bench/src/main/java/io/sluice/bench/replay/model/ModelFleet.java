package io.sluice.bench.replay.model;

import io.sluice.bench.fleet.sluice.WorkerRole;
import io.sluice.bench.replay.log.RecordedRequest;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.Scheduling;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A fleet in virtual time.
 *
 * @param kinds of engines, which those of the fleet are in turn
 * @param roles of their workers, in the same turn
 * @param engines how many there are
 * @param assumed workers of which nothing was measured, so that a profile stands for their engines
 */
public record ModelFleet(
    List<EngineConfig> kinds, List<WorkerRole> roles, int engines, List<String> assumed) {
  private static final int SHORT_CONTEXT = 16_384;
  private static final int LONG_CONTEXT = 131_072;
  private static final int MAX_NUM_SEQS = 256;

  public ModelFleet {
    kinds = List.copyOf(kinds);
    roles = List.copyOf(roles);
    assumed = List.copyOf(assumed);
  }

  /**
   * Returns the workers of a pool, as they measured themselves and as they answered the requests.
   *
   * @param slots the most requests of each; empty for its present limit
   */
  public static ModelFleet of(
      Collection<WorkerSnapshot> workers, List<RecordedRequest> requests, OptionalInt slots) {
    Map<String, WorkerPace> paces = WorkerPace.of(requests);
    List<WorkerSnapshot> inOrder =
        workers.stream().sorted(Comparator.comparing(WorkerSnapshot::id)).toList();
    return new ModelFleet(
        inOrder.stream()
            .map(worker -> EngineFit.of(worker, Optional.ofNullable(paces.get(worker.id())), slots))
            .toList(),
        inOrder.stream()
            .map(
                worker ->
                    new WorkerRole(
                        worker.models(),
                        worker.cards(),
                        worker.tier(),
                        worker.lanes(),
                        worker.traits()))
            .toList(),
        inOrder.size(),
        inOrder.stream()
            .filter(
                worker ->
                    !EngineFit.isMeasured(worker, Optional.ofNullable(paces.get(worker.id()))))
            .map(WorkerSnapshot::id)
            .toList());
  }

  /**
   * Engines of built-in profiles in turn, each of which serves all models.
   *
   * @throws IllegalArgumentException if there is no such profile, or it has no room for a request
   */
  public static ModelFleet of(
      List<String> profiles, int engines, List<RecordedRequest> requests, OptionalInt slots) {
    List<String> models =
        requests.stream().map(request -> request.metadata().model()).distinct().toList();
    long longest =
        requests.stream()
            .mapToLong(request -> (long) request.promptTokens() + request.outputTokens())
            .max()
            .orElse(0);
    int context = longest < SHORT_CONTEXT ? SHORT_CONTEXT : LONG_CONTEXT;
    List<EngineConfig> kinds =
        profiles.stream()
            .map(GpuProfile::named)
            .map(
                gpu ->
                    EngineConfig.of(Timing.of(gpu), context)
                        .withScheduling(
                            Scheduling.of(slots.orElse(MAX_NUM_SEQS), gpu.maxNumBatchedTokens())))
            .toList();
    return new ModelFleet(kinds, List.of(WorkerRole.serving(models)), engines, List.of());
  }

  /** Returns the same kinds of engines in turn, in another number. */
  public ModelFleet withEngines(int count) {
    return new ModelFleet(kinds, roles, count, assumed);
  }

  private Set<String> models() {
    return IntStream.range(0, Math.min(engines, roles.size()))
        .boxed()
        .flatMap(at -> roles.get(at).models().stream())
        .collect(Collectors.toSet());
  }

  /** Returns whether any worker serves the model of a request, or that which stands in for it. */
  public boolean serves(RecordedRequest request) {
    Set<String> models = models();
    return models.contains(request.metadata().model())
        || request.metadata().fallbackModel().filter(models::contains).isPresent();
  }

  /**
   * Returns whether every worker can take every request, so that a balancer need not tell them
   * apart.
   */
  boolean isUniform(List<RecordedRequest> requests) {
    long longest = requests.stream().mapToLong(RecordedRequest::promptTokens).max().orElse(0);
    return roles.stream().map(WorkerRole::models).map(Set::copyOf).distinct().count() <= 1
        && kinds.stream().allMatch(kind -> longest < kind.maxModelLen());
  }
}
