package io.sluice.gateway.quota;

import io.micronaut.http.HttpRequest;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.tokens.TokenEstimate;
import io.sluice.fleet.quota.Quotas;
import io.sluice.fleet.quota.Quotas.Lease;
import io.sluice.fleet.quota.Quotas.Limits;
import io.sluice.fleet.quota.Quotas.Reservation;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.access.KeyLimits;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import io.sluice.producer.client.InferenceRequest;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admits requests within the limits of their API key. While Redis is away, requests are admitted
 * without rate limits: a pool that answers is worth more than an exact count. Thread-safe.
 */
@Singleton
public final class Admission {
  private static final Duration REDIS_TIMEOUT = Duration.ofSeconds(1);
  private static final Logger log = LoggerFactory.getLogger(Admission.class);

  private final Quotas quotas;
  private final Leases leases;
  private final TokenEstimate estimate = new TokenEstimate();

  Admission(Quotas quotas, Leases leases) {
    this.quotas = quotas;
    this.leases = leases;
  }

  /**
   * Admits a request, and reserves its tokens: those of the prompt, by estimate, and those that the
   * answer may have, in all its choices. May block for a second.
   *
   * @param refused is called when a limit is reached, since the client tries again then
   * @throws ApiException with status 403 if the key does not allow the request, or 429 if a limit
   *     is reached
   */
  public Ticket admit(
      HttpRequest<?> http, Caller caller, InferenceRequest request, Runnable refused)
      throws InterruptedException {
    if (caller.keyId().isEmpty()) {
      return Ticket.FREE;
    }
    String keyId = caller.keyId().get();
    Permissions.check(request, caller.limits());
    Limits limits = limits(keyId, caller.limits());
    if (limits.requestsPerMinute() == 0 && limits.tokensPerMinute() == 0 && limits.places() == 0) {
      return Ticket.FREE;
    }
    TokenNeed need = TokenNeed.of(request, estimate);
    if (limits.tokensPerMinute() > 0 && need.total() > limits.tokensPerMinute()) {
      throw new ApiException(tooLarge(need.total(), limits));
    }
    Lease lease = new Lease(keyId, RequestId.next());
    Optional<Reservation> reservation = reserve(limits, need, lease);
    reservation.ifPresent(known -> RateLimitHeaders.note(http, limits, known));
    if (reservation.isPresent() && !reservation.get().isGranted()) {
      refused.run();
      throw new ApiException(exhausted(reservation.get(), limits));
    }
    // A reservation without an answer may be granted later, and is then settled as any other.
    leases.hold(lease);
    AtomicBoolean isSettled = new AtomicBoolean();
    return spent -> {
      if (isSettled.compareAndSet(false, true)) {
        settle(limits, need.left(spent), lease);
      }
    };
  }

  private static Limits limits(String keyId, KeyLimits limits) {
    return new Limits(
        keyId,
        limits.requestsPerMinute().orElse(0),
        limits.tokensPerMinute().orElse(0),
        limits.concurrent().orElse(0));
  }

  private Optional<Reservation> reserve(Limits limits, TokenNeed need, Lease lease)
      throws InterruptedException {
    try {
      return Optional.of(
          quotas
              .reserve(limits, need.total(), lease.lease(), Leases.LIFE)
              .toCompletableFuture()
              .get(REDIS_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
    } catch (ExecutionException e) {
      return unreachable(limits, String.valueOf(e.getMessage()));
    } catch (TimeoutException e) {
      return unreachable(limits, "no answer within " + REDIS_TIMEOUT.toMillis() + " ms");
    } catch (InterruptedException e) {
      settle(limits, need.total(), lease);
      throw e;
    }
  }

  private static Optional<Reservation> unreachable(Limits limits, String reason) {
    log.warn("event=quotas_unreachable key={} reason=\"{}\"", limits.owner(), reason);
    return Optional.empty();
  }

  private void settle(Limits limits, long unused, Lease lease) {
    leases.settle(lease, () -> quotas.settle(limits, unused, lease.lease()));
  }

  private static ApiError tooLarge(long tokens, Limits limits) {
    return ApiError.of(
            ErrorKind.QUOTA_EXCEEDED,
            "the request may need %d tokens, but this API key has %d a minute; lower max_tokens"
                .formatted(tokens, limits.tokensPerMinute()))
        .neverRetry();
  }

  private static ApiError exhausted(Reservation refused, Limits limits) {
    String limit =
        switch (refused.lacking()) {
          case REQUESTS -> limits.requestsPerMinute() + " requests a minute";
          case TOKENS -> limits.tokensPerMinute() + " tokens a minute";
          case PLACES, NOTHING, SETTLED -> limits.places() + " requests at the same time";
        };
    return ApiError.of(
            ErrorKind.QUOTA_EXCEEDED,
            "the limit of this API key is reached: %s; try again later".formatted(limit))
        .retryAfter(refused.waitMillis());
  }
}
