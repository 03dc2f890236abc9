package io.sluice.router.peers;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.peers.PeerMessage.AtWorker;
import io.sluice.router.fleet.WorkerView;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Leases of other routers that the workers' snapshots do not show yet.
 *
 * <p>A router tells how many leases it has at a worker in all, and a snapshot tells how many of
 * that router's leases the worker holds. So the unseen ones are {@code max(0, told - shown)}: never
 * negative and never counted twice, whatever was lost or delayed. They count until a snapshot
 * arrives that must contain them, or for one second, so a router that dies after its message blocks
 * nothing for longer.
 *
 * <p>Thread-safe; readers take no lock. Time is an argument, in monotonic nanoseconds.
 */
public final class PeerLeases {
  /**
   * A snapshot that arrives this long after a router's message contains what the message told. By
   * then Kafka has delivered the assignments and the worker has counted them.
   */
  public static final Duration SHOWN_AFTER = Duration.ofMillis(150);

  /** A statement that no snapshot has confirmed or refuted for this long is ignored. */
  public static final Duration BELIEVED_FOR = Duration.ofSeconds(1);

  private static final int MANY_WORKERS = 4_096;

  /**
   * What all other routers have in flight to one worker.
   *
   * @param leases the number of requests
   * @param contextTokens their prompts and expected outputs
   * @param promptTokens the part of their prompts that is not cached
   */
  public record Unseen(int leases, long contextTokens, long promptTokens) {
    /** Nothing beyond what the worker shows. */
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
      // The worker does not say whose prompts wait. Each router's share is assumed to be
      // proportional to its leases.
      double shownShare = (double) shown / Math.max(1, worker.heldInAll());
      long shownPrompts = Math.round(worker.pace().waitingPromptTokens() * shownShare);
      return new Unseen(
          unseen,
          Math.round((double) share.contextTokens() * unseen / share.leases()),
          Math.max(0, share.promptTokens() - shownPrompts));
    }
  }

  /** By worker, then by router. The inner maps are never changed. */
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

  /** Returns what other routers have told about a worker beyond what its snapshot shows. */
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
