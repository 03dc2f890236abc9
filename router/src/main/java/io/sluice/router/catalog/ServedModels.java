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
 * The models that the living fleet serves, adapters included, and their longest contexts, beside
 * those that the pool is configured to serve.
 *
 * <p>What no worker serves may be served in a moment, so nobody is refused for it before the fleet
 * has said the same for a while: heard of without a break, with at least one worker whose engine
 * has answered, and none whose engine still may: that of a process of a worker that has not
 * answered yet is waited for an hour. What was served is remembered for as long, for engines
 * restart and take long to load. Thread-safe.
 */
public final class ServedModels {
  static final Duration REMEMBERED = Duration.ofHours(1);

  /** How far an engine's own tokenizer may count below the estimate. */
  public static final double ESTIMATE_ERROR = 0.15;

  private static final Duration REFRESH_INTERVAL = Duration.ofMillis(250);

  /** Who did not look for so long has missed what joined and left. */
  private static final Duration BLIND_AFTER = Duration.ofSeconds(5);

  private final ModelCatalog configured;
  private final Duration grace;
  private final Supplier<FleetSnapshot> fleet;
  private final LongSupplier nanoClock;

  /** When a worker of a model was heard of last, by its longest context. */
  private final Map<String, NavigableMap<Long, Long>> servedNanos = new HashMap<>();

  /** The same of what was let in by a router before this one. */
  private final Map<String, NavigableMap<Long, Long>> assumedNanos = new HashMap<>();

  /** Processes of workers with engines that have answered. */
  private final Set<String> haveAnswered = new HashSet<>();

  /** Other processes of workers, and since when each is known. */
  private final Map<String, Long> awaitedNanos = new HashMap<>();

  private long refreshedNanos;
  private long completeSinceNanos;
  private boolean isComplete;

  /** Before, what the engines serve besides what is configured is not known. */
  private boolean hasBeenComplete;

  /** Why a request cannot be served. */
  public record Refusal(ErrorKind kind, String message) {}

  /**
   * A fleet that was not looked at yet.
   *
   * @param configured what counts as served whoever is alive
   * @param grace how long it must be known that nobody serves something
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

  /** Of a pool whose workers tell nothing: what is not configured is waited for. */
  public static ServedModels awaited(ModelCatalog configured) {
    var served =
        new ServedModels(configured, REMEMBERED, () -> new FleetSnapshot(Map.of(), false), () -> 0);
    served.hasBeenComplete = true;
    return served;
  }

  public Duration grace() {
    return grace;
  }

  /** What is served whoever is alive. */
  public ModelCatalog configured() {
    return configured;
  }

  /** What nobody serves, and the pool is not there to serve, by its configuration. */
  public synchronized boolean refuses(String model) {
    return hasBeenComplete && configured.refuses(model) && !servedNanos.containsKey(model);
  }

  /** Looks at the fleet; to be called every few tens of milliseconds. */
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

  /** One that starts anew may be there for other models, which its engine is still loading. */
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

  /** A request was let in by another router, and had waited longer than the grace. */
  public synchronized void assumeServed(RequestMetadata metadata) {
    assumedNanos
        .computeIfAbsent(metadata.model(), any -> new TreeMap<>())
        .put(metadata.contextTokens(), nanoClock.getAsLong());
  }

  /** The longest context of a model, in tokens, by configuration, else as workers say. */
  public synchronized OptionalInt longest(String model) {
    OptionalInt known = configured.longest(model);
    NavigableMap<Long, Long> lengths = servedNanos.get(model);
    return known.isPresent() || lengths == null
        ? known
        : OptionalInt.of(Math.toIntExact(lengths.lastKey()));
  }

  /** Whether nobody is going to serve it. */
  public synchronized boolean isUnservable(String model, long contextTokens) {
    return isCertain() && refusal(model, contextTokens).isPresent();
  }

  private boolean isCertain() {
    return isComplete && nanoClock.getAsLong() - completeSinceNanos >= grace.toNanos();
  }

  /** Why nobody is going to serve a request, its fallback model included; empty while one may. */
  public synchronized Optional<Refusal> refusal(RequestMetadata metadata) {
    return isCertain() ? missing(metadata) : Optional.empty();
  }

  /** Whether nobody serves a request now, as far as is known. */
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
              "no worker serves the model '%s'; there are: %s"
                  .formatted(model, String.join(", ", names()))));
    }
    return contextTokens * (1 - ESTIMATE_ERROR) <= longest
        ? Optional.empty()
        : Optional.of(
            new Refusal(
                ErrorKind.CONTEXT_LENGTH_EXCEEDED,
                "the longest context of '%s' is %d tokens, but about %d of prompt and output were asked for; shorten the prompt, lower max_tokens, or set truncate_prompt_tokens to have it cut from the left"
                    .formatted(model, longest, contextTokens)));
  }

  private static long longest(Map<String, NavigableMap<Long, Long>> models, String model) {
    NavigableMap<Long, Long> lengths = models.get(model);
    return lengths == null ? 0 : lengths.lastKey();
  }

  private Set<String> names() {
    Set<String> names = new TreeSet<>(configured.maxModelLen().keySet());
    names.addAll(servedNanos.keySet());
    return names;
  }
}
