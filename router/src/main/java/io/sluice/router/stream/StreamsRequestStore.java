package io.sluice.router.stream;

import io.sluice.router.request.EarlyControl;
import io.sluice.router.request.EndedRequest;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.StoredRequest;
import io.sluice.router.request.TrackedRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The scheduler's store over a Kafka Streams store with a changelog. A request is read several
 * times within seconds, so the latest values are also kept decoded. One event may change a value
 * more than once, so changes are only written by {@link #flush}. Not thread-safe.
 */
final class StreamsRequestStore implements RequestStore {
  private static final int KEPT_DECODED = 2_000;

  private final KeyValueStore<String, byte[]> requests;
  private final Map<String, TrackedRequest> latest =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, TrackedRequest> eldest) {
          return size() > KEPT_DECODED;
        }
      };
  private final LinkedHashMap<String, TrackedRequest> unsaved = new LinkedHashMap<>();

  StreamsRequestStore(KeyValueStore<String, byte[]> requests) {
    this.requests = requests;
  }

  @Override
  public Optional<StoredRequest> find(String requestId) {
    return Optional.<StoredRequest>ofNullable(latest.get(requestId))
        .or(() -> Optional.ofNullable(unsaved.get(requestId)))
        .or(
            () ->
                Optional.ofNullable(requests.get(requestId))
                    .map(value -> StoredRequest.fromBytes(requestId, value)));
  }

  @Override
  public void put(TrackedRequest request) {
    unsaved.put(request.requestId(), request);
    latest.put(request.requestId(), request);
  }

  /** Writes the changes since the last flush. Call this at the end of each event. */
  void flush() {
    while (!unsaved.isEmpty()) {
      // Removed first, so that a value that cannot be stored is not retried with every later event.
      TrackedRequest request = unsaved.pollFirstEntry().getValue();
      requests.put(request.requestId(), request.toBytes());
    }
  }

  @Override
  public void end(EndedRequest ended) {
    String requestId = ended.requestId();
    latest.remove(requestId);
    unsaved.remove(requestId);
    requests.put(requestId, ended.toBytes());
  }

  @Override
  public void keep(EarlyControl control) {
    requests.put(control.requestId(), control.toBytes());
  }

  @Override
  public void forget(String requestId) {
    requests.delete(requestId);
  }

  @Override
  public void forEach(Consumer<StoredRequest> visitor) {
    flush();
    try (var all = requests.all()) {
      all.forEachRemaining(
          entry -> visitor.accept(StoredRequest.fromBytes(entry.key, entry.value)));
    }
  }
}
