package io.sluice.router.log;

import io.sluice.router.request.RequestBodies;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata.Source;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The records of requests as the lanes have them, with those at hand that came or were read lately,
 * up to a number of bytes. Thread-safe.
 */
public final class LoggedBodies implements RequestBodies {
  private final BodyCache cache;
  private final LogReader log;

  /** What {@link #find} asked for. */
  private final ConcurrentMap<Source, Read> reads = new ConcurrentHashMap<>();

  private enum Read {
    RUNNING,
    /** The log does not have the record; kept until somebody asks. */
    GONE
  }

  /**
   * Nothing is at hand yet.
   *
   * @param cacheBytes how many bytes of records are kept at hand
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

  /** Who asks again finds it in the cache, or hears that it is gone. */
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
