package io.sluice.gateway.responses.record;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells where responses lie in Kafka, so that they need not be searched for. Readers check what it
 * says; what it does not know costs time. All gateways share it; each one remembers what it used
 * last. Thread-safe.
 */
public final class Places {
  /** What all gateways share. */
  public interface Store {
    /** Reads the text of a response. */
    CompletionStage<Optional<String>> find(String requestId);

    /** Writes the text of a response. */
    CompletionStage<Void> put(String requestId, String text);
  }

  private static final Duration FIND_WITHIN = Duration.ofMillis(250);
  private static final int REMEMBERED = 50_000;
  private static final Logger log = LoggerFactory.getLogger(Places.class);

  private final Store store;
  private final ReentrantLock lock = new ReentrantLock();
  private final LinkedHashMap<String, Place> used = new LinkedHashMap<>(16, 0.75f, true);

  public Places(Store store) {
    this.store = store;
  }

  /** Returns what is known of a response. */
  public Place find(String requestId) {
    Place known = remembered(requestId);
    if (known.isWhole()) {
      return known;
    }
    return stored(requestId).map(found -> merge(requestId, found)).orElse(known);
  }

  private Optional<Place> stored(String requestId) {
    try {
      return store
          .find(requestId)
          .toCompletableFuture()
          .get(FIND_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
          .flatMap(Place::parse);
    } catch (ExecutionException | TimeoutException e) {
      log.debug("event=places_unreadable", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return Optional.empty();
  }

  /** Notes what was found out about a response. */
  public void note(String requestId, Place found) {
    Place before = remembered(requestId);
    Place now = merge(requestId, found);
    if (!now.equals(before)) {
      var _ =
          store
              .put(requestId, now.text())
              .exceptionally(
                  failure -> {
                    log.debug("event=place_not_noted", failure);
                    return null;
                  });
    }
  }

  private Place remembered(String requestId) {
    lock.lock();
    try {
      return used.getOrDefault(requestId, Place.UNKNOWN);
    } finally {
      lock.unlock();
    }
  }

  private Place merge(String requestId, Place newer) {
    lock.lock();
    try {
      Place now = used.getOrDefault(requestId, Place.UNKNOWN).with(newer);
      used.put(requestId, now);
      Map.Entry<String, Place> oldest = used.firstEntry();
      if (used.size() > REMEMBERED && oldest != null) {
        used.remove(oldest.getKey());
      }
      return now;
    } finally {
      lock.unlock();
    }
  }
}
