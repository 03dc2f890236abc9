package io.sluice.gateway.access;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of a store, read again when they are a second old. While the store cannot be read, the
 * last reading stays in use. Thread-safe; may block for some seconds.
 */
public final class KeyRing {
  private static final Duration FRESH = Duration.ofSeconds(1);
  private static final Logger log = LoggerFactory.getLogger(KeyRing.class);

  private final KeyStore store;
  private final LongSupplier nanoTime;
  private final ReentrantLock reading = new ReentrantLock();
  private volatile Map<String, ApiKey> keys;
  private volatile long readAtNanos;

  /**
   * Reads the store for the first time.
   *
   * @throws IOException if it cannot be read
   */
  public KeyRing(KeyStore store, LongSupplier nanoTime) throws IOException {
    this.store = store;
    this.nanoTime = nanoTime;
    this.keys = read();
    this.readAtNanos = nanoTime.getAsLong();
  }

  /** Returns the key of a secret; empty if there is none, or it was revoked. */
  public Optional<ApiKey> find(String secret) {
    refresh();
    return ApiKey.idIn(secret)
        .flatMap(id -> Optional.ofNullable(keys.get(id)))
        .filter(key -> key.isOf(secret));
  }

  private void refresh() {
    boolean isStale = nanoTime.getAsLong() - readAtNanos >= FRESH.toNanos();
    // One thread reads; others use what is there.
    if (!isStale || !reading.tryLock()) {
      return;
    }
    try {
      keys = read();
    } catch (IOException e) {
      log.warn("event=keys_unreadable reason=\"{}\"", e.getMessage());
    } finally {
      readAtNanos = nanoTime.getAsLong();
      reading.unlock();
    }
  }

  private Map<String, ApiKey> read() throws IOException {
    return store.all().stream()
        .collect(Collectors.toUnmodifiableMap(ApiKey::id, Function.identity(), (a, b) -> b));
  }
}
