package io.sluice.producer.follow;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Whose turn it is. Tenants take turns, so that one with many readers does not delay those of the
 * others; the groups of a tenant are served in the order in which they came. A group whose tenant
 * is not known has turns of its own. Not thread-safe.
 */
final class Turns {
  private static final int REMEMBERED = 1_000;

  /** The last turn of each tenant, the oldest first. */
  private final Map<String, Long> lastOf =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > REMEMBERED;
        }
      };

  private long turn;

  /** Returns the group with the tenant that was not served for longest. */
  Optional<FollowerGroup> first(Collection<FollowerGroup> waiting) {
    return waiting.stream().min(Comparator.comparingLong(this::lastOf));
  }

  private long lastOf(FollowerGroup group) {
    return group
        .tenants()
        .mapToLong(tenant -> tenant.isEmpty() ? group.lastTurn() : lastOf.getOrDefault(tenant, 0L))
        .min()
        .orElse(0);
  }

  /** A group has its turn. */
  void served(FollowerGroup group) {
    turn++;
    group.servedIn(turn);
    group
        .tenants()
        .distinct()
        .forEach(
            tenant -> {
              lastOf.remove(tenant);
              lastOf.put(tenant, turn);
            });
  }
}
