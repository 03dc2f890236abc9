package io.sluice.fleet;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses the snapshots of many workers. Most texts are equal to the last one of the same worker, or
 * differ only in the sequence; they are recognized, which takes a fraction of the time of parsing.
 * Thread-safe.
 */
final class SnapshotParser {
  /** If more are known, most of them are gone. */
  private static final int MANY_WORKERS = 8_192;

  /** How a snapshot begins that {@link WorkerSnapshot#toJson} has written. */
  private static final Pattern BEGINNING =
      Pattern.compile(
          "(\\{\"id\":\"[^\"\\\\]+\",\"incarnation\":\"[^\"\\\\]+\",\"sequence\":)(\\d{1,18}),");

  /** The last snapshot with the text behind its sequence. */
  private record Known(WorkerSnapshot snapshot, String behind) {}

  /** By the text before the sequence, which names the worker and its incarnation. */
  private final Map<String, Known> workers = new ConcurrentHashMap<>();

  /**
   * Parses a snapshot.
   *
   * @throws IllegalArgumentException if the text is not a snapshot
   */
  WorkerSnapshot parse(String json) {
    Matcher beginning = BEGINNING.matcher(json);
    if (!beginning.lookingAt()) {
      return WorkerSnapshot.parse(json);
    }
    String worker = beginning.group(1);
    String behind = json.substring(beginning.end());
    Known known = workers.get(worker);
    if (known != null && known.behind().equals(behind)) {
      return known.snapshot().withSequence(Long.parseLong(beginning.group(2)));
    }
    WorkerSnapshot parsed = WorkerSnapshot.parse(json);
    if (workers.size() >= MANY_WORKERS) {
      workers.clear();
    }
    workers.put(worker, new Known(parsed, behind));
    return parsed;
  }
}
