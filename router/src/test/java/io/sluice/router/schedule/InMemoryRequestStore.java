package io.sluice.router.schedule;

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
  private final Map<String, byte[]> bodies = new HashMap<>();

  @Override
  public Optional<TrackedRequest> get(String requestId) {
    return Optional.ofNullable(requests.get(requestId))
        .filter(value -> !EndedRequest.isOne(value))
        .map(TrackedRequest::fromBytes);
  }

  @Override
  public Optional<EndedRequest> ended(String requestId) {
    return Optional.ofNullable(requests.get(requestId))
        .filter(EndedRequest::isOne)
        .map(value -> EndedRequest.fromBytes(requestId, value));
  }

  @Override
  public void end(EndedRequest ended) {
    requests.put(ended.requestId(), ended.toBytes());
    bodies.remove(ended.requestId());
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
  public void forEach(Consumer<TrackedRequest> open, Consumer<EndedRequest> ended) {
    Set.copyOf(requests.keySet())
        .forEach(
            id -> {
              get(id).ifPresent(open);
              ended(id).ifPresent(ended);
            });
  }

  /** Those that have not ended. */
  List<TrackedRequest> all() {
    return requests.keySet().stream().flatMap(id -> get(id).stream()).toList();
  }

  Set<String> endedIds() {
    return requests.keySet().stream()
        .filter(id -> ended(id).isPresent())
        .collect(Collectors.toSet());
  }

  void loseBody(String requestId) {
    bodies.remove(requestId);
  }

  Set<String> bodyIds() {
    return Set.copyOf(bodies.keySet());
  }

  /** Goes back to what a request was: the transitions since then never reached the changelog. */
  void restore(String requestId, byte[] value) {
    requests.put(requestId, value);
  }
}
