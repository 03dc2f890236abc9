package io.sluice.router.stream;

import io.sluice.router.schedule.RequestBody;
import io.sluice.router.schedule.RequestStore;
import io.sluice.router.schedule.TrackedRequest;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.streams.state.KeyValueStore;

/** The scheduler's store over two changelogged Kafka Streams stores. */
final class StreamsRequestStore implements RequestStore {
  private final KeyValueStore<String, byte[]> requests;
  private final KeyValueStore<String, byte[]> bodies;

  StreamsRequestStore(
      KeyValueStore<String, byte[]> requests, KeyValueStore<String, byte[]> bodies) {
    this.requests = requests;
    this.bodies = bodies;
  }

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
    requests.delete(requestId);
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
    bodies.delete(requestId);
  }

  @Override
  public void forEach(Consumer<TrackedRequest> visitor) {
    try (var all = requests.all()) {
      all.forEachRemaining(entry -> visitor.accept(TrackedRequest.fromBytes(entry.value)));
    }
  }
}
