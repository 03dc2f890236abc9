package io.sluice.gateway.files.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.files.FileStore;
import io.sluice.gateway.files.ObjectStore;
import io.sluice.gateway.files.StoredFile;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class FilePagePropertiesTest {
  private static final String TENANT = "acme";

  @Property(tries = 100)
  void thePagesTogetherAreAllFilesInOrder(
      @ForAll @Size(max = 12) List<Boolean> areBatches,
      @ForAll @IntRange(min = 1, max = 5) int limit,
      @ForAll boolean isAscending,
      @ForAll boolean onlyBatches) {
    // Given
    FileStore store = new FileStore(new MemoryStore(), Clock.systemUTC());
    List<String> expected = new ArrayList<>();
    for (boolean isBatch : areBatches) {
      StoredFile file = store(store, isBatch ? "batch" : "user_data");
      if (isBatch || !onlyBatches) {
        expected.add(file.id());
      }
    }
    Collections.sort(expected);
    if (!isAscending) {
      Collections.reverse(expected);
    }

    // When
    List<String> read = new ArrayList<>();
    Optional<String> after = Optional.empty();
    boolean hasMore = true;
    while (hasMore) {
      FilePage page =
          FilePage.read(
              store,
              TENANT,
              new FilePage.Query(
                  onlyBatches ? Optional.of("batch") : Optional.empty(),
                  limit,
                  isAscending,
                  after));
      page.files().forEach(file -> read.add(file.id()));
      hasMore = page.hasMore();
      assertThat(page.files()).hasSizeLessThanOrEqualTo(limit);
      assertThat(!hasMore || page.files().size() == limit).isTrue();
      after = Optional.ofNullable(read.isEmpty() ? null : read.getLast());
      if (hasMore && read.size() % 2 == 0) {
        // A deleted file is still a place to continue from.
        store.delete(read.getLast(), TENANT);
      }
    }

    // Then
    assertThat(read).isEqualTo(expected);
  }

  private static StoredFile store(FileStore store, String purpose) {
    return store.finish(
        new StoredFile(
            store.newId(), TENANT, "f", purpose, Instant.EPOCH, Optional.empty(), List.of()));
  }

  /** Values in memory. */
  private static final class MemoryStore implements ObjectStore {
    private final TreeMap<String, byte[]> values = new TreeMap<>();

    @Override
    public void put(String key, byte[] value) {
      values.put(key, value);
    }

    @Override
    public Optional<byte[]> get(String key) {
      return Optional.ofNullable(values.get(key));
    }

    @Override
    public void visit(String prefix, Visitor visitor) {
      values.forEach(
          (key, value) -> {
            if (key.startsWith(prefix)) {
              visitor.visit(key, value.length);
            }
          });
    }

    @Override
    public void delete(String key) {
      values.remove(key);
    }

    @Override
    public void close() {}
  }
}
