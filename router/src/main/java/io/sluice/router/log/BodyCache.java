package io.sluice.router.log;

import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata.Source;
import java.util.LinkedHashMap;
import java.util.Optional;

/**
 * A cache of request records, least recently used first out, up to a number of bytes. A record
 * larger than that is kept alone. Thread-safe.
 */
final class BodyCache {
  /** What a record takes in addition to its bytes: objects, headers, the cache entry. */
  private static final int OVERHEAD_BYTES = 512;

  private final long mostBytes;
  private final LinkedHashMap<Source, RequestBody> bodies = new LinkedHashMap<>();
  private long bytes;

  BodyCache(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  synchronized void put(Source source, RequestBody body) {
    remove(source);
    bodies.putLast(source, body);
    bytes += size(body);
    while (bytes > mostBytes && bodies.size() > 1) {
      bytes -= size(bodies.pollFirstEntry().getValue());
    }
  }

  synchronized Optional<RequestBody> get(Source source) {
    RequestBody body = bodies.get(source);
    if (body != null) {
      bodies.putLast(source, body);
    }
    return Optional.ofNullable(body);
  }

  synchronized void remove(Source source) {
    RequestBody body = bodies.remove(source);
    bytes -= body == null ? 0 : size(body);
  }

  private static long size(RequestBody body) {
    return OVERHEAD_BYTES + body.bytes();
  }
}
