package io.sluice.router.peers;

import io.sluice.fleet.PeerMessage.AtWorker;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.router.fleet.WorkerView;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What other routers have at the workers and the workers' snapshots do not show yet.
 *
 * <p>A router tells how many leases it has at a worker in all, and a snapshot tells how many of
 * that router's the worker holds. So what is unseen is {@code max(0, told - shown)}: never
 * negative, never counted twice, whatever was lost or came late. It counts until a snapshot is
 * heard that the leases must be in, or for a second: a router that dies after it spoke blocks
 * nothing for longer.
 *
 * <p>Thread-safe; readers take no lock. Time is an argument, in monotonic nanoseconds.
 */
public final class PeerLeases {
  /**
   * A snapshot that is heard so long after a router's message shows what the message told: by then
   * Kafka has brought the assignments to the worker, and the worker has counted them.
   */
  public static final Duration SHOWN_AFTER = Duration.ofMillis(150);

  /** What no snapshot has confirmed or refuted for so long is no longer believed. */
  public static final Duration BELIEVED_FOR = Duration.ofSeconds(1);

  private static final int MANY_WORKERS = 4_096;

  /**
   * What is on its way to one worker from all other routers.
   *
   * @param leases requests
   * @param contextTokens their prompts and expected outputs
   * @param promptTokens what is not cached of their prompts
   */
  public record Unseen(int leases, long contextTokens, long promptTokens) {
    /** Nothing that the worker does not show. */
    public static final Unseen NONE = new Unseen(0, 0, 0);

    private Unseen plus(Unseen more) {
      return new Unseen(
          leases + more.leases,
          contextTokens + more.contextTokens,
          promptTokens + more.promptTokens);
    }
  }

  private record Told(AtWorker share, long heardNanos) {
    boolean isBelieved(long nowNanos) {
      return nowNanos - heardNanos < BELIEVED_FOR.toNanos();
    }

    boolean isNewsTo(WorkerView view, long nowNanos) {
      return isBelieved(nowNanos)
          && view.heardAtNanos() - heardNanos < SHOWN_AFTER.toNanos()
          && view.snapshot().incarnation().equals(share.incarnation());
    }

    Unseen beyond(WorkerSnapshot worker, String router) {
      int shown = worker.held().getOrDefault(router, 0);
      int unseen = share.leases() - shown;
      if (unseen <= 0) {
        return Unseen.NONE;
      }
      // The worker does not say whose prompts wait; each router's are taken to be as its leases.
      double shownShare = (double) shown / Math.max(1, worker.heldInAll());
      long shownPrompts = Math.round(worker.pace().waitingPromptTokens() * shownShare);
      return new Unseen(
          unseen,
          Math.round((double) share.contextTokens() * unseen / share.leases()),
          Math.max(0, share.promptTokens() - shownPrompts));
    }
  }

  /** By worker, then by router; the inner maps are never changed. */
  private final ConcurrentMap<String, Map<String, Told>> workers = new ConcurrentHashMap<>();

  /** A router has told what it has at a worker. */
  public void told(String router, AtWorker share, long nowNanos) {
    if (workers.size() >= MANY_WORKERS) {
      workers.values().removeIf(known -> believed(known, nowNanos).isEmpty());
    }
    workers.compute(
        share.worker(),
        (worker, known) -> {
          Map<String, Told> after = believed(known == null ? Map.of() : known, nowNanos);
          after.put(router, new Told(share, nowNanos));
          return after;
        });
  }

  /** What other routers have told of a worker beyond what it shows itself. */
  public Unseen at(WorkerView view, long nowNanos) {
    Map<String, Told> known = workers.getOrDefault(view.snapshot().id(), Map.of());
    Unseen sum = Unseen.NONE;
    for (Map.Entry<String, Told> told : known.entrySet()) {
      if (told.getValue().isNewsTo(view, nowNanos)) {
        sum = sum.plus(told.getValue().beyond(view.snapshot(), told.getKey()));
      }
    }
    return sum;
  }

  private static Map<String, Told> believed(Map<String, Told> known, long nowNanos) {
    Map<String, Told> still = new HashMap<>(known);
    still.values().removeIf(told -> !told.isBelieved(nowNanos));
    return still;
  }
}
