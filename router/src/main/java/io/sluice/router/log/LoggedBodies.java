package io.sluice.router.log;

import io.sluice.router.request.RequestBodies;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata.Source;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The records of requests in the lanes, with a cache of the recent ones that is bounded in bytes.
 * Thread-safe.
 */
public final class LoggedBodies implements RequestBodies {
  private final BodyCache cache;
  private final LogReader log;

  /** The read that {@link #find} has started. */
  private final ConcurrentMap<Source, Read> reads = new ConcurrentHashMap<>();

  private enum Read {
    RUNNING,
    /** The record is not in the log. Kept until somebody asks. */
    GONE
  }

  /**
   * Creates an empty cache.
   *
   * @param cacheBytes the maximum size of the cached records
   */
  public LoggedBodies(LogReader log, long cacheBytes) {
    this.cache = new BodyCache(cacheBytes);
    this.log = log;
  }

  @Override
  public void came(Source source, RequestBody body) {
    cache.put(source, body);
  }

  @Override
  public Optional<RequestBody> cached(Source source) {
    return cache.get(source);
  }

  @Override
  public Lookup find(Source source) {
    Optional<RequestBody> known = cache.get(source);
    if (known.isPresent()) {
      return new Lookup.Cached(known.get());
    }
    if (reads.putIfAbsent(source, Read.RUNNING) == null) {
      var _ =
          log.read(source)
              .whenComplete(
                  (body, failure) -> {
                    if (failure == null) {
                      ended(source, body);
                    } else {
                      reads.remove(source);
                    }
                  });
    }
    return reads.remove(source, Read.GONE) ? new Lookup.Gone() : new Lookup.Loading();
  }

  /** The next call finds it in the cache, or learns that it is gone. */
  private void ended(Source source, Optional<RequestBody> body) {
    if (body.isPresent()) {
      cache.put(source, body.get());
      reads.remove(source);
    } else {
      reads.replace(source, Read.GONE);
    }
  }

  @Override
  public CompletableFuture<RequestBody> read(Source source) {
    return cache
        .get(source)
        .map(CompletableFuture::completedFuture)
        .orElseGet(() -> log.read(source).thenApply(body -> body.orElseGet(RequestBody::lost)));
  }

  @Override
  public void forget(Source source) {
    cache.remove(source);
    reads.remove(source);
  }
}
