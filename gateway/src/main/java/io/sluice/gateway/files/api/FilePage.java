package io.sluice.gateway.files.api;

import io.sluice.gateway.files.FileStore;
import io.sluice.gateway.files.StoredFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A part of the list of a tenant's files.
 *
 * @param hasMore whether files follow
 */
record FilePage(List<StoredFile> files, boolean hasMore) {
  /** The most files of a page. */
  static final int MOST = 10_000;

  /**
   * What a caller asks for.
   *
   * @param purpose empty for all
   * @param limit the most files, 1 to {@link #MOST}
   * @param isAscending whether the oldest comes first
   * @param after the page begins behind this file, which may have been deleted
   */
  record Query(Optional<String> purpose, int limit, boolean isAscending, Optional<String> after) {}

  /** Reads a page. */
  static FilePage read(FileStore store, String tenant, Query query) {
    List<String> ids = store.ids(tenant);
    List<StoredFile> files = new ArrayList<>();
    for (String id : query.isAscending() ? ids : ids.reversed()) {
      if (query.after().isPresent() && !isBehind(id, query.after().get(), query.isAscending())) {
        continue;
      }
      Optional<StoredFile> file = store.find(id, tenant).filter(found -> isWanted(found, query));
      if (file.isPresent()) {
        if (files.size() == query.limit()) {
          return new FilePage(files, true);
        }
        files.add(file.get());
      }
    }
    return new FilePage(files, false);
  }

  private static boolean isBehind(String id, String after, boolean isAscending) {
    return isAscending ? id.compareTo(after) > 0 : id.compareTo(after) < 0;
  }

  private static boolean isWanted(StoredFile file, Query query) {
    return query.purpose().isEmpty() || query.purpose().get().equals(file.purpose());
  }
}
