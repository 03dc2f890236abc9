package io.sluice.router.catalog;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.request.RequestMetadata;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The models that the live fleet serves, including adapters, with their longest contexts, in
 * addition to those in the configured catalog.
 *
 * <p>A model that no worker serves may be served a moment later. So a request is refused for it
 * only after the fleet was completely known for a grace period without a break: at least one engine
 * has answered, and no engine is still awaited. The engine of a worker process that has not
 * answered yet is awaited for an hour. What was served is remembered for an hour too, because
 * engines restart and take long to load. Thread-safe.
 */
public final class ServedModels {
  static final Duration REMEMBERED = Duration.ofHours(1);

  /** By how much an engine's tokenizer may count less than the estimate. */
  public static final double ESTIMATE_ERROR = 0.15;

  private static final Duration REFRESH_INTERVAL = Duration.ofMillis(250);

  /** After a longer time without a refresh, workers may have joined and left unseen. */
  private static final Duration BLIND_AFTER = Duration.ofSeconds(5);

  private final ModelCatalog configured;
  private final Duration grace;
  private final Supplier<FleetSnapshot> fleet;
  private final LongSupplier nanoClock;

  /** The last time that a worker of a model was seen, by its longest context. */
  private final Map<String, NavigableMap<Long, Long>> servedNanos = new HashMap<>();

  /** The same for requests that an earlier router has admitted. */
  private final Map<String, NavigableMap<Long, Long>> assumedNanos = new HashMap<>();

  /** Worker processes whose engine has answered. */
  private final Set<String> haveAnswered = new HashSet<>();

  /** Other worker processes, with the time since which each is known. */
  private final Map<String, Long> awaitedNanos = new HashMap<>();

  private long refreshedNanos;
  private long completeSinceNanos;
  private boolean isComplete;

  /** Until then, only the configured models are known. */
  private boolean hasBeenComplete;

  /** Why a request cannot be served. */
  public record Refusal(ErrorKind kind, String message) {}

  /**
   * Creates an instance that has not seen the fleet yet.
   *
   * @param configured the models that count as served even without a worker
   * @param grace how long it must be known that no worker serves something
   * @param nanoClock monotonic nanoseconds
   */
  public ServedModels(
      ModelCatalog configured,
      Duration grace,
      Supplier<FleetSnapshot> fleet,
      LongSupplier nanoClock) {
    this.configured = configured;
    this.grace = grace;
    this.fleet = fleet;
    this.nanoClock = nanoClock;
    this.refreshedNanos = nanoClock.getAsLong() - REFRESH_INTERVAL.toNanos();
  }

  /**
   * For a pool whose workers report nothing: requests wait for every model that is not configured.
   */
  public static ServedModels awaited(ModelCatalog configured) {
    var served =
        new ServedModels(configured, REMEMBERED, () -> new FleetSnapshot(Map.of(), false), () -> 0);
    served.hasBeenComplete = true;
    return served;
  }

  public Duration grace() {
    return grace;
  }

  /** Returns the models that are served even without a worker. */
  public ModelCatalog configured() {
    return configured;
  }

  /** Returns whether a model is neither served nor configured. */
  public synchronized boolean refuses(String model) {
    return hasBeenComplete && configured.refuses(model) && !servedNanos.containsKey(model);
  }

  /** Reads the fleet. Call this every few tens of milliseconds. */
  public synchronized void refresh() {
    long now = nanoClock.getAsLong();
    if (now - refreshedNanos < REFRESH_INTERVAL.toNanos()) {
      return;
    }
    boolean wasBlind = now - refreshedNanos > BLIND_AFTER.toNanos();
    refreshedNanos = now;
    FleetSnapshot seen = fleet.get();
    seen.workers().values().stream()
        .map(WorkerView::snapshot)
        .filter(WorkerSnapshot::engineUp)
        .forEach(worker -> heard(worker, now));
    Set<String> processes = processes(seen);
    boolean wasComplete = isComplete && !wasBlind;
    isComplete = seen.fresh() && !isAnyAwaited(processes, now) && !haveAnswered.isEmpty();
    if (!wasComplete) {
      completeSinceNanos = now;
    }
    hasBeenComplete |= isComplete;
    forget(servedNanos.values(), now);
    forget(assumedNanos.values(), now);
  }

  private boolean isAnyAwaited(Set<String> processes, long now) {
    haveAnswered.retainAll(processes);
    awaitedNanos.keySet().retainAll(processes);
    awaitedNanos.keySet().removeAll(haveAnswered);
    boolean isAny = false;
    for (String process : processes) {
      isAny |=
          !haveAnswered.contains(process)
              && now - awaitedNanos.computeIfAbsent(process, any -> now) <= REMEMBERED.toNanos();
    }
    return isAny;
  }

  private static Set<String> processes(FleetSnapshot seen) {
    return seen.workers().values().stream()
        .map(view -> process(view.snapshot()))
        .collect(Collectors.toSet());
  }

  /** A restarted worker may serve other models, which its engine is still loading. */
  private static String process(WorkerSnapshot worker) {
    return worker.id() + "/" + LeaseRef.process(worker.incarnation());
  }

  private void heard(WorkerSnapshot worker, long now) {
    haveAnswered.add(process(worker));
    long longest = worker.maxModelLen() > 0 ? worker.maxModelLen() : Integer.MAX_VALUE;
    for (String model : worker.models()) {
      servedNanos.computeIfAbsent(model, any -> new TreeMap<>()).put(longest, now);
    }
  }

  private static void forget(Collection<NavigableMap<Long, Long>> models, long now) {
    models.forEach(lengths -> lengths.values().removeIf(seen -> now - seen > REMEMBERED.toNanos()));
    models.removeIf(Map::isEmpty);
  }

  /** Another router has admitted a request, and it has waited for longer than the grace period. */
  public synchronized void assumeServed(RequestMetadata metadata) {
    assumedNanos
        .computeIfAbsent(metadata.model(), any -> new TreeMap<>())
        .put(metadata.contextTokens(), nanoClock.getAsLong());
  }

  /**
   * Returns the longest context of a model, in tokens: as configured, otherwise as workers report.
   */
  public synchronized OptionalInt longest(String model) {
    OptionalInt known = configured.longest(model);
    NavigableMap<Long, Long> lengths = servedNanos.get(model);
    return known.isPresent() || lengths == null
        ? known
        : OptionalInt.of(Math.toIntExact(lengths.lastKey()));
  }

  /** Returns whether no worker is going to serve it. */
  public synchronized boolean isUnservable(String model, long contextTokens) {
    return isCertain() && refusal(model, contextTokens).isPresent();
  }

  private boolean isCertain() {
    return isComplete && nanoClock.getAsLong() - completeSinceNanos >= grace.toNanos();
  }

  /**
   * Why no worker is going to serve a request, including its fallback model; empty while one may.
   */
  public synchronized Optional<Refusal> refusal(RequestMetadata metadata) {
    return isCertain() ? missing(metadata) : Optional.empty();
  }

  /** Returns whether no worker serves a request now, as far as is known. */
  public synchronized boolean isMissing(RequestMetadata metadata) {
    return missing(metadata).isPresent();
  }

  private Optional<Refusal> missing(RequestMetadata metadata) {
    Optional<Refusal> own = refusal(metadata.model(), metadata.contextTokens());
    return metadata
            .fallbackModel()
            .filter(fallback -> refusal(fallback, metadata.contextTokens()).isEmpty())
            .isPresent()
        ? Optional.empty()
        : own;
  }

  private Optional<Refusal> refusal(String model, long contextTokens) {
    if (configured.longest(model).isPresent()) {
      return Optional.empty();
    }
    long served = longest(servedNanos, model);
    long longest = Math.max(served, longest(assumedNanos, model));
    if (longest == 0) {
      return Optional.of(
          new Refusal(
              ErrorKind.MODEL_NOT_FOUND,
              "no worker serves the model '%s'; available models: %s"
                  .formatted(model, String.join(", ", names()))));
    }
    return contextTokens * (1 - ESTIMATE_ERROR) <= longest
        ? Optional.empty()
        : Optional.of(
            new Refusal(
                ErrorKind.CONTEXT_LENGTH_EXCEEDED,
                "the longest context of '%s' is %d tokens, but the request needs about %d for prompt and output; shorten the prompt, lower max_tokens, or set truncate_prompt_tokens to cut the prompt from the left"
                    .formatted(model, longest, contextTokens)));
  }

  private static long longest(Map<String, NavigableMap<Long, Long>> models, String model) {
    NavigableMap<Long, Long> lengths = models.get(model);
    return lengths == null ? 0 : lengths.lastKey();
  }

  /** Returns the models that are configured, or were served within the last hour. */
  public synchronized Set<String> names() {
    Set<String> names = new TreeSet<>(configured.maxModelLen().keySet());
    names.addAll(servedNanos.keySet());
    return names;
  }
}
