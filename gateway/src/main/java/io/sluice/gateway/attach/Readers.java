package io.sluice.gateway.attach;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.pool.Pool;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/** Opens readers of answers, as many at a time as requests can be in progress. Thread-safe. */
@Singleton
final class Readers {
  private static final long RETRY_AFTER_MILLIS = 1_000;

  private final Pool pool;
  private final Semaphore free;

  Readers(Pool pool, GatewayConfig config) {
    this.pool = pool;
    this.free = new Semaphore(config.maxConcurrent());
  }

  /**
   * Opens a reader of an answer of the caller's tenant.
   *
   * @param after the position that the client has reached; empty for the beginning
   * @throws ApiException if there are too many readers, or the gateway is about to stop
   */
  AnswerReader open(
      String requestId, Caller caller, Rendering rendering, Optional<Position> after) {
    if (!free.tryAcquire()) {
      throw new ApiException(
          ApiError.of(ErrorKind.OVERLOADED, "the gateway has too many readers")
              .retryAfter(RETRY_AFTER_MILLIS));
    }
    AtomicBoolean isReleased = new AtomicBoolean();
    Runnable release =
        () -> {
          if (isReleased.compareAndSet(false, true)) {
            free.release();
          }
        };
    try {
      return new AnswerReader(
          pool.attach(requestId, caller), new AnswerItems(rendering, after), release);
    } catch (ApiException e) {
      release.run();
      throw e;
    }
  }
}
