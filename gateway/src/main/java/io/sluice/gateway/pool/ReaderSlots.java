package io.sluice.gateway.pool;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import jakarta.inject.Singleton;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Bounds how many clients read stored answers at a time: as many as requests can be in progress.
 * Thread-safe.
 */
@Singleton
public final class ReaderSlots {
  private static final long RETRY_AFTER_MILLIS = 1_000;

  private final Semaphore free;

  ReaderSlots(GatewayConfig config) {
    this.free = new Semaphore(config.maxConcurrent());
  }

  /**
   * Takes a slot.
   *
   * @throws ApiException if there is none
   */
  public Slot take() {
    if (!free.tryAcquire()) {
      throw new ApiException(
          ApiError.of(ErrorKind.OVERLOADED, "the gateway has too many readers")
              .retryAfter(RETRY_AFTER_MILLIS));
    }
    return new Slot();
  }

  /** The slot of one reader. Thread-safe. */
  public final class Slot implements AutoCloseable {
    private final AtomicBoolean isFree = new AtomicBoolean();

    private Slot() {}

    /** Gives the slot back. Repeated calls have no effect. */
    @Override
    public void close() {
      if (isFree.compareAndSet(false, true)) {
        free.release();
      }
    }
  }
}
