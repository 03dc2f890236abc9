package io.sluice.gateway.files;

import java.time.Clock;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes files that have expired, and what unfinished uploads left. Several gateways may do so at
 * a time. Thread-safe.
 */
final class Sweeper {
  private static final Logger log = LoggerFactory.getLogger(Sweeper.class);

  private final ObjectStore objects;
  private final FileStore files;
  private final Clock clock;

  Sweeper(ObjectStore objects, FileStore files, Clock clock) {
    this.objects = objects;
    this.files = files;
    this.clock = clock;
  }

  /**
   * Removes all that is due.
   *
   * @return how many files and unfinished uploads were removed
   * @throws StorageException if the storage cannot be listed; other failures are logged
   */
  int sweep() {
    Map<String, String> ids = new LinkedHashMap<>();
    Set<String> finished = new HashSet<>();
    objects.visit(
        FileKeys.ALL,
        (key, _) ->
            FileKeys.parse(key)
                .ifPresent(
                    parsed -> {
                      ids.put(parsed.folder(), parsed.fileId());
                      if (parsed.isMeta()) {
                        finished.add(parsed.folder());
                      }
                    }));
    int removed = 0;
    for (Map.Entry<String, String> file : ids.entrySet()) {
      if (removeIfDue(file.getKey(), file.getValue(), finished.contains(file.getKey()))) {
        removed++;
      }
    }
    return removed;
  }

  private boolean removeIfDue(String folder, String id, boolean isFinished) {
    try {
      boolean isDue = isFinished ? isExpired(folder) : isAbandoned(id);
      if (isDue) {
        files.deleteAll(folder);
      }
      return isDue;
    } catch (StorageException e) {
      log.warn("event=sweep_failed file={} reason=\"{}\"", id, e.getMessage());
      return false;
    }
  }

  private boolean isExpired(String folder) {
    String key = FileKeys.meta(folder);
    Instant now = clock.instant();
    return objects.get(key).filter(meta -> MetaFormat.parse(meta, key).isExpired(now)).isPresent();
  }

  private boolean isAbandoned(String id) {
    Instant oldest = clock.instant().minus(FileStore.ABANDONED_AFTER);
    return FileId.timeOf(id).filter(oldest::isAfter).isPresent();
  }
}
