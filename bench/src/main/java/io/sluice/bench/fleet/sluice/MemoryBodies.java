package io.sluice.bench.fleet.sluice;

import io.sluice.router.request.RequestBodies;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata.Source;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The records of a run's open requests, all kept in memory. */
public final class MemoryBodies implements RequestBodies {
  private final Map<Source, RequestBody> bodies = new HashMap<>();

  @Override
  public void came(Source source, RequestBody body) {
    bodies.put(source, body);
  }

  @Override
  public Optional<RequestBody> cached(Source source) {
    return Optional.ofNullable(bodies.get(source));
  }

  @Override
  public Lookup find(Source source) {
    return cached(source).<Lookup>map(Lookup.Cached::new).orElseGet(Lookup.Gone::new);
  }

  @Override
  public CompletableFuture<RequestBody> read(Source source) {
    return cached(source)
        .map(CompletableFuture::completedFuture)
        .orElseGet(() -> CompletableFuture.failedFuture(new IllegalStateException("forgotten")));
  }

  @Override
  public void forget(Source source) {
    bodies.remove(source);
  }
}
