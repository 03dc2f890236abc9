package io.sluice.router.bulk;

import io.sluice.router.queue.BulkSize;
import io.sluice.router.queue.FairShare;
import io.sluice.router.queue.RequestKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The parked requests of one model. Tenants take turns by {@link FairShare}, over all kinds and
 * partitions. Among a tenant's requests for which there is room, the one whose slack ends first
 * goes first. Not thread-safe.
 */
final class ParkedModel {
  private final FairShare share = new FairShare();
  private final Map<String, Map<BulkSize, BulkLine>> tenants = new HashMap<>();
  private final Map<RequestKind, Integer> kinds = new HashMap<>();

  /** Returns the line for a tenant's requests of a size. */
  BulkLine line(String tenant, BulkSize size) {
    return tenants
        .computeIfAbsent(tenant, any -> new HashMap<>())
        .computeIfAbsent(size, any -> new BulkLine(tenant, size));
  }

  void add(ParkedRequest request) {
    BulkLine line = request.line();
    line(line.tenant(), line.size()).requests().add(request);
    kinds.merge(line.kind(), 1, Integer::sum);
    share.enter(line.tenant());
  }

  /** Fast for the first request of a line. */
  void remove(ParkedRequest request) {
    BulkLine line = line(request.line().tenant(), request.line().size());
    line.requests().remove(request);
    left(line, 1);
  }

  /** Removes all such requests. */
  void removeIf(Predicate<ParkedRequest> which) {
    List<BulkLine> lines = tenants.values().stream().flatMap(all -> all.values().stream()).toList();
    for (BulkLine line : lines) {
      int before = line.requests().size();
      line.requests().removeIf(which);
      left(line, before - line.requests().size());
    }
  }

  private void left(BulkLine line, int requests) {
    for (int left = requests; left > 0; left--) {
      share.leave(line.tenant());
    }
    kinds.computeIfPresent(
        line.kind(), (any, count) -> count == requests ? null : count - requests);
    if (line.requests().isEmpty()) {
      tenants.computeIfPresent(
          line.tenant(),
          (any, lines) -> {
            lines.remove(line.size());
            return lines.isEmpty() ? null : lines;
          });
    }
  }

  boolean isEmpty() {
    return kinds.isEmpty();
  }

  /** Removes and returns the next request for which there is room, and takes up that room. */
  Optional<ParkedRequest> take(BulkOpenings openings) {
    if (kinds.keySet().stream().noneMatch(openings::hasRoom)) {
      return Optional.empty();
    }
    Optional<ParkedRequest> next = share.first(tenant -> next(tenant, openings));
    next.ifPresent(
        request -> {
          request.charge(share);
          remove(request);
        });
    return next;
  }

  private Optional<ParkedRequest> next(String tenant, BulkOpenings openings) {
    return Objects.requireNonNull(tenants.get(tenant)).values().stream()
        // There is a line also for requests of partitions that rest, which are not in it.
        .filter(line -> !line.requests().isEmpty())
        .map(line -> line.requests().element())
        .sorted(ParkedRequest.ORDER)
        .filter(request -> openings.tryTake(request.line().kind(), request.contextTokens()))
        .findFirst();
  }
}
