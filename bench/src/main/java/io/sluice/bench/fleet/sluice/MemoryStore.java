package io.sluice.bench.fleet.sluice;

import io.sluice.router.request.EarlyControl;
import io.sluice.router.request.EndedRequest;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.StoredRequest;
import io.sluice.router.request.TrackedRequest;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** A router's store without a changelog, because no router dies here. */
public final class MemoryStore implements RequestStore {
  private final Map<String, TrackedRequest> requests = new HashMap<>();

  /** No request is repeated or cancelled before it arrives. */
  @Override
  public Optional<StoredRequest> find(String requestId) {
    return Optional.ofNullable(requests.get(requestId));
  }

  @Override
  public void put(TrackedRequest request) {
    requests.put(request.requestId(), request);
  }

  @Override
  public void end(EndedRequest ended) {
    requests.remove(ended.requestId());
  }

  @Override
  public void keep(EarlyControl control) {}

  @Override
  public void forget(String requestId) {}

  @Override
  public void forEach(Consumer<StoredRequest> visitor) {
    requests.values().forEach(visitor);
  }
}
