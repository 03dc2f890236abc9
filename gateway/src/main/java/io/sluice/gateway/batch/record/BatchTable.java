package io.sluice.gateway.batch.record;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** The batches of a pool, as their records tell. Thread-safe. */
final class BatchTable {
  /** How long batches are kept after their creation. */
  static final Duration KEPT = Duration.ofDays(30);

  private record Entry(int partition, Batch batch) {}

  private final Map<String, Entry> byId = new ConcurrentHashMap<>();

  /** Adds a record. Records of one batch come in their order. */
  void add(int partition, BatchRecord record) {
    byId.compute(
        record.id(),
        (id, known) -> {
          if (known != null) {
            return new Entry(partition, known.batch().with(record));
          }
          // Without the record of its creation, a batch is older than the log.
          return record instanceof CreatedBatch created
              ? new Entry(partition, Batch.of(created))
              : null;
        });
  }

  /** Forgets the batches that were created before a time. */
  void forgetBefore(Instant time) {
    byId.values().removeIf(entry -> entry.batch().created().createdAt() < time.toEpochMilli());
  }

  Optional<Batch> find(String id) {
    return Optional.ofNullable(byId.get(id)).map(Entry::batch);
  }

  /** Returns the batches of a tenant, the newest first. */
  List<Batch> ofTenant(String tenant) {
    return batches(entry -> entry.batch().created().tenant().equals(tenant)).reversed();
  }

  /** Returns the batches of some partitions that have not ended, the oldest first. */
  List<Batch> unfinished(Predicate<Integer> partitions) {
    return batches(entry -> !entry.batch().isEnded() && partitions.test(entry.partition()));
  }

  private List<Batch> batches(Predicate<Entry> wanted) {
    return byId.values().stream()
        .filter(wanted)
        .map(Entry::batch)
        .sorted(Comparator.comparing(batch -> batch.created().id()))
        .toList();
  }
}
