package io.sluice.router.policy;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.router.prefix.CachedPrefixes;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.prefix.PrefixIndex;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * What a router process learns about the workers from the requests that it sends them, and what it
 * expects of each. All tasks of a process share one; thread-safe. Time is an argument, in monotonic
 * nanoseconds.
 *
 * <p>For each decision, {@link #of a view} of the request gives each candidate its {@link
 * View#outlook}. For each request that is sent, call {@link #sent} and report its progress to the
 * result.
 */
public final class Experience {
  private static final int MANY_WORKERS = 4_096;
  private static final int FEW_WORKERS = 64;

  private final PrefixIndex prefixes = new PrefixIndex();
  private final CachedPrefixes cached;
  private final Map<String, WorkerExperience> workers = new ConcurrentHashMap<>();

  private final Consumer<Sending> others;

  /** Learns from this router alone. */
  public Experience() {
    this(sending -> {});
  }

  /**
   * Learns, and shares what it sends.
   *
   * @param others receives everything that is sent; must not block
   */
  public Experience(Consumer<Sending> others) {
    this.others = others;
    this.cached = prefixes;
  }

  private Experience(CachedPrefixes cached, Consumer<Sending> others) {
    this.others = others;
    this.cached = cached;
  }

  /** Learns from this router alone, but is told what the workers have cached. */
  public static Experience toldOf(CachedPrefixes cached) {
    return new Experience(cached, sending -> {});
  }

  /** The workers as seen for one request. */
  public final class View {
    private final RequestProfile request;
    private final CachedPrefixes.Match match;
    private final long nowNanos;

    private View(RequestProfile request, long nowNanos) {
      this.request = request;
      this.match = cached.match(request.prefix());
      this.nowNanos = nowNanos;
    }

    /**
     * Returns what is expected of a worker.
     *
     * @param forOthers the leases that it holds for other routers
     * @param unseenTokens prompt tokens of other routers that its snapshot does not show yet
     */
    public Outlook outlook(WorkerSnapshot worker, int forOthers, long unseenTokens) {
      long indexed = (long) match.blocks(worker.id()) * request.prefix().tokensPerBlock();
      long cached = Math.min(indexed, request.promptTokens());
      return experience(worker.id()).outlook(worker, cached, forOthers, unseenTokens, nowNanos);
    }

    /** See {@link CachedPrefixes.Match#forEachHolder}. */
    public void forEachHolder(RandomGenerator random, Predicate<String> visitor) {
      match.forEachHolder(random, visitor);
    }
  }

  /** Evaluates the workers for one request. */
  public View of(RequestProfile request, long nowNanos) {
    return new View(request, nowNanos);
  }

  /**
   * A request is sent to a worker, whose cache contains its prompt from then on.
   *
   * @param outlook what was expected of the worker when it was chosen
   */
  public Sent sent(RequestProfile request, WorkerSnapshot worker, Outlook outlook, long nowNanos) {
    PrefixChain prefix = request.prefix();
    int cached = prefixes.hold(worker.id(), worker.incarnation(), worker.tokenBudget(), prefix);
    others.accept(new Sending(worker.id(), worker.incarnation(), prefix, cached));
    return new Sent(experience(worker.id()), request, outlook, nowNanos);
  }

  /**
   * Returns the uncached tokens of the prompts that were sent to a worker and have no token yet.
   */
  public long unstartedTokens(String worker) {
    WorkerExperience known = workers.get(worker);
    return known == null ? 0 : known.unstartedTokens();
  }

  /** Another router has sent prompts with these blocks to a worker. */
  public void heard(String worker, String incarnation, long tokenBudget, PrefixChain chain) {
    prefixes.hold(worker, incarnation, tokenBudget, chain);
  }

  /** A worker's engine is down. When it comes back, its cache is empty. */
  public void engineDown(String worker) {
    prefixes.forget(worker);
  }

  /**
   * Forgets workers that are gone, once they outnumber the others. Cheap enough to call at every
   * decision.
   */
  public void retain(Set<String> known) {
    if (workers.size() <= 2 * known.size() + FEW_WORKERS) {
      return;
    }
    prefixes.retain(known);
    workers.entrySet().removeIf(e -> !known.contains(e.getKey()) && e.getValue().isIdle());
  }

  private WorkerExperience experience(String worker) {
    WorkerExperience known = workers.get(worker);
    if (known != null) {
      return known;
    }
    if (workers.size() >= MANY_WORKERS) {
      workers.values().removeIf(WorkerExperience::isIdle);
    }
    return workers.computeIfAbsent(worker, any -> new WorkerExperience());
  }

  /** One request at one worker, from its assignment to its end. Thread-safe. */
  public static final class Sent {
    private final WorkerExperience worker;
    private final long indexedTokens;
    private final long claimedTokens;
    private final long uncachedTokens;
    private final long promptTokens;
    private final long tokensBefore;
    private final double stepMillis;
    private final long sentNanos;
    private boolean open = true;
    private boolean told;
    private OptionalLong nanosToStart = OptionalLong.empty();

    private Sent(WorkerExperience worker, RequestProfile request, Outlook outlook, long nowNanos) {
      this.worker = worker;
      this.indexedTokens = outlook.indexedTokens();
      this.claimedTokens = Math.min(outlook.cachedTokens(), request.promptTokens());
      this.promptTokens = request.promptTokens();
      this.uncachedTokens = promptTokens - claimedTokens;
      this.stepMillis = outlook.stepMillis();
      this.sentNanos = nowNanos;
      this.tokensBefore = worker.sent(uncachedTokens, nowNanos);
    }

    /**
     * The request has its first token.
     *
     * @param cachedTokens the cached part of its prompt, as the engine reports it; empty if it has
     *     not reported it yet
     */
    public synchronized void started(OptionalInt cachedTokens, long nowNanos) {
      if (open) {
        open = false;
        worker.started(uncachedTokens, nowNanos);
        nanosToStart = OptionalLong.of(nowNanos - sentNanos);
        cachedTokens.ifPresent(this::cached);
        if (claimedTokens == 0) {
          observe(0);
        }
      }
    }

    /**
     * The engine reports how much of the prompt it had cached. Most engines do so only at the end.
     * The first report counts.
     */
    public synchronized void cached(int cachedTokens) {
      if (!told) {
        told = true;
        worker.cached(indexedTokens, cachedTokens);
        observe(cachedTokens);
      }
    }

    /**
     * The request has ended or left the worker. What the engine has not reported by now is assumed
     * to be as expected.
     */
    public synchronized void ended() {
      if (open) {
        open = false;
        worker.left(uncachedTokens);
      }
      observe(claimedTokens);
    }

    private void observe(long cachedTokens) {
      if (nanosToStart.isPresent()) {
        long computed = tokensBefore + Math.max(0, promptTokens - cachedTokens);
        worker.observed(computed, nanosToStart.getAsLong(), stepMillis);
        nanosToStart = OptionalLong.empty();
      }
    }
  }
}
