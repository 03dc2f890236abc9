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
 * last reading stays in use, until it is too old. Thread-safe; may block for some seconds.
 */
public final class KeyRing {
  private static final Duration FRESH = Duration.ofSeconds(1);
  private static final Logger log = LoggerFactory.getLogger(KeyRing.class);

  private final KeyStore store;
  private final Duration maxAge;
  private final LongSupplier nanoTime;
  private final ReentrantLock reading = new ReentrantLock();
  private volatile Map<String, ApiKey> keys;
  private volatile long triedAtNanos;
  private volatile long readAtNanos;

  /**
   * Reads the store for the first time.
   *
   * @param maxAge when a reading is too old to be used
   * @throws IOException if it cannot be read
   */
  public KeyRing(KeyStore store, Duration maxAge, LongSupplier nanoTime) throws IOException {
    this.store = store;
    this.maxAge = maxAge;
    this.nanoTime = nanoTime;
    this.keys = read();
    this.triedAtNanos = nanoTime.getAsLong();
    this.readAtNanos = triedAtNanos;
  }

  /** Returns the key of a secret; empty if there is none, or it was revoked. */
  public Optional<ApiKey> find(String secret) {
    refresh();
    return ApiKey.idIn(secret)
        .flatMap(id -> Optional.ofNullable(keys.get(id)))
        .filter(key -> key.isOf(secret));
  }

  /**
   * Returns whether the keys could not be read for too long: {@link #find} is not to be trusted.
   */
  public boolean isOutdated() {
    return nanoTime.getAsLong() - readAtNanos >= maxAge.toNanos();
  }

  private boolean isStale() {
    return nanoTime.getAsLong() - triedAtNanos >= FRESH.toNanos();
  }

  /** One thread reads. Others use what is there, and wait only if that is too old. */
  private void refresh() {
    if (!isStale()) {
      return;
    }
    if (isOutdated()) {
      reading.lock();
      try {
        readIfStale();
      } finally {
        reading.unlock();
      }
    } else if (reading.tryLock()) {
      try {
        readIfStale();
      } finally {
        reading.unlock();
      }
    }
  }

  private void readIfStale() {
    if (isStale()) {
      readAgain();
    }
  }

  private void readAgain() {
    try {
      keys = read();
      readAtNanos = nanoTime.getAsLong();
    } catch (IOException e) {
      log.warn("event=keys_unreadable reason=\"{}\"", e.getMessage());
    } finally {
      triedAtNanos = nanoTime.getAsLong();
    }
  }

  private Map<String, ApiKey> read() throws IOException {
    return store.all().stream()
        .collect(Collectors.toUnmodifiableMap(ApiKey::id, Function.identity(), (a, b) -> b));
  }
}
