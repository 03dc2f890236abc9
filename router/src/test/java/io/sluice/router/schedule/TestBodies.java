package io.sluice.router.schedule;

import io.sluice.router.request.RequestBodies;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata.Source;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** A log that keeps all records, and what of them is at hand. */
public final class TestBodies implements RequestBodies {
  private final Map<Source, RequestBody> log = new HashMap<>();
  private final Set<Source> cached = new HashSet<>();
  private final Set<Source> asked = new HashSet<>();
  private boolean isSlow;

  @Override
  public void came(Source source, RequestBody body) {
    log.put(source, body);
    cached.add(source);
  }

  @Override
  public Optional<RequestBody> cached(Source source) {
    return Optional.of(source).filter(cached::contains).map(log::get);
  }

  @Override
  public Lookup find(Source source) {
    if (!log.containsKey(source)) {
      return new Lookup.Gone();
    }
    if (isSlow && !cached.contains(source)) {
      asked.add(source);
      return new Lookup.Loading();
    }
    cached.add(source);
    return new Lookup.Cached(log.get(source));
  }

  @Override
  public CompletableFuture<RequestBody> read(Source source) {
    return CompletableFuture.completedFuture(log.getOrDefault(source, RequestBody.lost()));
  }

  @Override
  public void forget(Source source) {
    cached.remove(source);
  }

  /** Nothing is at hand any more. */
  public void dropAll() {
    cached.clear();
  }

  /** From now on, what is not at hand is here only after {@link #arrive}. */
  public void slow() {
    isSlow = true;
  }

  /** What was asked for is here. */
  public void arrive() {
    cached.addAll(asked);
    asked.clear();
  }

  /** Returns what was asked for and is not here. */
  public Set<Source> asked() {
    return Set.copyOf(asked);
  }

  /** The log does not have it any more. */
  public void delete(Source source) {
    log.remove(source);
    cached.remove(source);
  }

  public Set<Source> cached() {
    return Set.copyOf(cached);
  }
}
