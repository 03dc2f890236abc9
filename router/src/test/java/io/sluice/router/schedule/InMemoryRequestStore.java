package io.sluice.router.schedule;

import io.sluice.router.request.EarlyControl;
import io.sluice.router.request.EndedRequest;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.StoredRequest;
import io.sluice.router.request.TrackedRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Keeps values as the real store does: in bytes, so that nothing is shared by reference. */
final class InMemoryRequestStore implements RequestStore {
  private final Map<String, byte[]> requests = new HashMap<>();

  /** Called before a request is stored; may throw. */
  Consumer<TrackedRequest> onPut = request -> {};

  @Override
  public Optional<StoredRequest> find(String requestId) {
    return Optional.ofNullable(requests.get(requestId))
        .map(value -> StoredRequest.fromBytes(requestId, value));
  }

  @Override
  public void end(EndedRequest ended) {
    requests.put(ended.requestId(), ended.toBytes());
  }

  @Override
  public void put(TrackedRequest request) {
    onPut.accept(request);
    requests.put(request.requestId(), request.toBytes());
  }

  @Override
  public void keep(EarlyControl control) {
    requests.put(control.requestId(), control.toBytes());
  }

  @Override
  public void forget(String requestId) {
    requests.remove(requestId);
  }

  @Override
  public void forEach(Consumer<StoredRequest> visitor) {
    Set.copyOf(requests.keySet()).forEach(id -> find(id).ifPresent(visitor));
  }

  /** Returns those that have not ended. */
  List<TrackedRequest> all() {
    return requests.keySet().stream().flatMap(id -> get(id).stream()).toList();
  }

  Set<String> endedIds() {
    return requests.keySet().stream()
        .filter(id -> find(id).orElseThrow() instanceof EndedRequest)
        .collect(Collectors.toSet());
  }

  /** Goes back to what a request was: the transitions since then never reached the changelog. */
  void restore(String requestId, byte[] value) {
    requests.put(requestId, value);
  }

  /** Returns what is stored now, for {@link #goBackTo}. */
  InMemoryRequestStore copy() {
    InMemoryRequestStore copy = new InMemoryRequestStore();
    copy.requests.putAll(requests);
    return copy;
  }

  /** All that was written since has been lost. */
  void goBackTo(InMemoryRequestStore copy) {
    requests.clear();
    requests.putAll(copy.requests);
  }
}
