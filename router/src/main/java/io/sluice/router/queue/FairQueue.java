package io.sluice.router.queue;

import io.sluice.router.queue.PendingQueue.Waiting;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The waiting requests of one task, kind and priority. Tenants take turns by {@link FairShare}, and
 * each tenant's requests go by their deadlines. A request close to its deadline goes first,
 * whatever its tenant, unless that tenant is far ahead of its share. So a single urgent request
 * jumps the queue and a flood of them does not. Each step is O(log n). Not thread-safe.
 */
final class FairQueue {
  /** A request this close to its deadline jumps the queue. */
  static final Duration URGENT_SLACK = Duration.ofSeconds(5);

  /** The number of tokens that a tenant may be served ahead of its turn. */
  static final long URGENT_TOKENS = 16_384;

  /** How many tenants with close deadlines are examined. */
  private static final int LOOKED_AT = 16;

  private final class Tenant {
    private final String name;
    private final TreeSet<Waiting> requests = new TreeSet<>(Waiting.ORDER);
    private long tag;

    Tenant(String name) {
      this.name = name;
      this.tag = share.tag(name);
    }
  }

  /**
   * A request and the reason for its position.
   *
   * @param urgent whether its deadline is close
   * @param tag the tag of its tenant
   * @param lead how many tokens its tenant is ahead of the one that is next in any task; 0 for a
   *     request that jumps the queue
   */
  record Head(Waiting waiting, boolean urgent, long tag, long lead) {}

  private final FairShare share;
  private final Map<String, Tenant> tenants = new HashMap<>();
  private final TreeSet<Tenant> byTag =
      new TreeSet<>(
          Comparator.<Tenant>comparingLong(tenant -> tenant.tag)
              .thenComparing(tenant -> tenant.requests.first(), Waiting.ORDER));
  private final TreeSet<Tenant> byDeadline =
      new TreeSet<>(Comparator.comparing(tenant -> tenant.requests.first(), Waiting.ORDER));

  FairQueue(FairShare share) {
    this.share = share;
  }

  /** Returns whether the request was added. Its tenant has already entered the share. */
  boolean add(Waiting waiting) {
    Tenant tenant = tenants.computeIfAbsent(waiting.tenant(), Tenant::new);
    takeOut(tenant);
    boolean isNew = tenant.requests.add(waiting);
    putIn(tenant);
    return isNew;
  }

  /** Returns whether the request was there. */
  boolean remove(Waiting waiting) {
    Tenant tenant = tenants.get(waiting.tenant());
    if (tenant == null) {
      return false;
    }
    takeOut(tenant);
    boolean wasThere = tenant.requests.remove(waiting);
    putIn(tenant);
    return wasThere;
  }

  boolean isEmpty() {
    return tenants.isEmpty();
  }

  void forEach(Consumer<Waiting> visitor) {
    tenants.values().forEach(tenant -> tenant.requests.forEach(visitor));
  }

  /** Returns the next request. The queue must not be empty. */
  Head first(long nowMillis) {
    Tenant next = nextByShare();
    return urgent(nowMillis)
        .map(tenant -> new Head(tenant.requests.first(), true, tenant.tag, 0))
        .orElseGet(() -> inTurn(next, next.requests.first()));
  }

  /**
   * Returns the request to try behind one that cannot go now. Behind an urgent request it is the
   * one whose turn it is, if that is another one. Otherwise it is the next one of the same tenant,
   * then those of the following tenants.
   */
  Optional<Head> after(Head other) {
    Tenant tenant = tenants.get(other.waiting().tenant());
    if (tenant == null) {
      return Optional.empty();
    }
    if (other.urgent()) {
      Tenant byShare = nextByShare();
      Waiting first = byShare.requests.first();
      if (!first.equals(other.waiting())) {
        return Optional.of(inTurn(byShare, first));
      }
    }
    Waiting next = tenant.requests.higher(other.waiting());
    if (next != null) {
      return Optional.of(inTurn(tenant, next));
    }
    return Optional.ofNullable(byTag.higher(tenant))
        .map(behind -> inTurn(behind, behind.requests.first()));
  }

  private Head inTurn(Tenant tenant, Waiting waiting) {
    return new Head(waiting, false, tenant.tag, share.lead(tenant.name));
  }

  private Optional<Tenant> urgent(long nowMillis) {
    long near = nowMillis + URGENT_SLACK.toMillis();
    return byDeadline.stream()
        .limit(LOOKED_AT)
        .takeWhile(tenant -> tenant.requests.first().deadlineEpochMillis() <= near)
        .filter(tenant -> share.lead(tenant.name) <= URGENT_TOKENS)
        .findFirst();
  }

  /** Tags grow while tenants are served elsewhere. They are looked up when they matter. */
  private Tenant nextByShare() {
    while (true) {
      Tenant next = byTag.first();
      long tag = share.tag(next.name);
      if (tag == next.tag) {
        return next;
      }
      byTag.remove(next);
      next.tag = tag;
      byTag.add(next);
    }
  }

  private void takeOut(Tenant tenant) {
    if (!tenant.requests.isEmpty()) {
      byTag.remove(tenant);
      byDeadline.remove(tenant);
    }
  }

  private void putIn(Tenant tenant) {
    if (tenant.requests.isEmpty()) {
      tenants.remove(tenant.name);
    } else {
      byTag.add(tenant);
      byDeadline.add(tenant);
    }
  }
}
