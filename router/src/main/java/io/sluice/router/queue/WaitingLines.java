package io.sluice.router.queue;

import io.sluice.common.protocol.Priority;
import io.sluice.router.queue.PendingQueue.Group;
import io.sluice.router.queue.PendingQueue.Waiting;
import io.sluice.router.request.RequestMetadata;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The waiting requests in lines: each is of the requests that wait for the same workers at the same
 * priority. Tells how much goes before a new request. Thread-safe.
 */
final class WaitingLines {
  private final ConcurrentMap<Line, TenantTokens> lines = new ConcurrentHashMap<>();
  private final Counts<Line> aside = new Counts<>();

  private record Line(RequestKind kind, Priority priority) {
    static Line of(Group group, Waiting waiting) {
      return new Line(RequestKind.of(group), waiting.priority());
    }
  }

  void enter(Group group, Waiting waiting) {
    lines.compute(
        Line.of(group, waiting),
        (any, known) -> {
          TenantTokens line = known == null ? new TenantTokens() : known;
          line.enter(waiting.tenant(), waiting.contextTokens());
          return line;
        });
  }

  void leave(Group group, Waiting waiting) {
    lines.computeIfPresent(
        Line.of(group, waiting),
        (any, line) -> {
          line.leave(waiting.tenant(), waiting.contextTokens());
          return line.isEmpty() ? null : line;
        });
  }

  /** Counts a request that waits by choice: 1 when it begins to, -1 when it ends. */
  void standsAside(RequestMetadata metadata, int by) {
    aside.add(new Line(RequestKind.of(metadata), metadata.priority()), by);
  }

  /** Returns the tokens that are served before a new request of a kind: prompts and outputs. */
  long tokensBefore(RequestKind kind, RequestMetadata metadata) {
    long before = 0;
    for (Priority priority : Priority.values()) {
      TenantTokens line = lines.get(new Line(kind, priority));
      if (line != null && priority.compareTo(metadata.priority()) < 0) {
        before += line.tokens();
      } else if (line != null && priority == metadata.priority()) {
        before += line.tokensBefore(metadata.tenant(), metadata.contextTokens());
      }
    }
    return before;
  }

  /** Returns whether requests of a kind wait that are not bulk, and not by choice. */
  boolean hasOthersThanAside(RequestKind kind) {
    return Arrays.stream(Priority.values())
        .filter(priority -> priority != Priority.BULK)
        .map(priority -> new Line(kind, priority))
        .anyMatch(this::hasOthersThanAside);
  }

  private boolean hasOthersThanAside(Line line) {
    TenantTokens waiting = lines.get(line);
    return waiting != null && waiting.requests() > aside.of(line);
  }
}
