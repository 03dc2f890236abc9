package io.sluice.router.schedule;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Keeps values as the real store does: in bytes, so that nothing is shared by reference. */
final class InMemoryRequestStore implements RequestStore {
  private final Map<String, byte[]> requests = new HashMap<>();
  private final Map<String, byte[]> bodies = new HashMap<>();

  @Override
  public Optional<TrackedRequest> get(String requestId) {
    return Optional.ofNullable(requests.get(requestId)).map(TrackedRequest::fromBytes);
  }

  @Override
  public void put(TrackedRequest request) {
    requests.put(request.facts().requestId(), request.toBytes());
  }

  @Override
  public void forget(String requestId) {
    requests.remove(requestId);
  }

  @Override
  public Optional<RequestBody> body(String requestId) {
    return Optional.ofNullable(bodies.get(requestId)).map(RequestBody::fromBytes);
  }

  @Override
  public void putBody(String requestId, RequestBody body) {
    bodies.put(requestId, body.toBytes());
  }

  @Override
  public void forgetBody(String requestId) {
    bodies.remove(requestId);
  }

  @Override
  public void forEach(Consumer<TrackedRequest> visitor) {
    requests.values().forEach(bytes -> visitor.accept(TrackedRequest.fromBytes(bytes)));
  }

  List<TrackedRequest> all() {
    return requests.values().stream().map(TrackedRequest::fromBytes).toList();
  }

  Set<String> bodyIds() {
    return Set.copyOf(bodies.keySet());
  }

  /** Goes back to what a request was: the transitions since then never reached the changelog. */
  void restore(String requestId, byte[] value) {
    requests.put(requestId, value);
  }
}
