package io.sluice.gateway.quota;

import io.micronaut.http.HttpRequest;
import io.sluice.common.openai.RequestedOutput;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.tokens.TokenEstimate;
import io.sluice.fleet.RedisQuotas;
import io.sluice.fleet.RedisQuotas.Limits;
import io.sluice.fleet.RedisQuotas.Reservation;
import io.sluice.gateway.access.ApiKey;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.access.KeyLimits;
import io.sluice.gateway.config.GatewayConfig;
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
  /** For a request that leaves its length to the engine. */
  private static final int UNKNOWN_OUTPUT_TOKENS = 1_024;

  private static final Duration REDIS_TIMEOUT = Duration.ofSeconds(1);
  private static final Logger log = LoggerFactory.getLogger(Admission.class);

  private final RedisQuotas quotas;
  private final Duration placeLife;
  private final TokenEstimate estimate = new TokenEstimate();

  Admission(RedisQuotas quotas, GatewayConfig config) {
    this.quotas = quotas;
    this.placeLife = config.requestTimeout().plus(config.retryGrace());
  }

  /**
   * Admits a request, and reserves its tokens: those of the prompt, by estimate, and those that the
   * answer may have. May block for a second.
   *
   * @throws ApiException with status 403 if the key does not allow the request, or 429 if a limit
   *     is reached
   */
  public Ticket admit(HttpRequest<?> http, Caller caller, InferenceRequest request)
      throws InterruptedException {
    if (caller.key().isEmpty()) {
      return Ticket.FREE;
    }
    ApiKey key = caller.key().get();
    Permissions.check(request, key.limits());
    Limits limits = limits(key);
    if (limits.requestsPerMinute() == 0 && limits.tokensPerMinute() == 0 && limits.places() == 0) {
      return Ticket.FREE;
    }
    long tokens = tokens(request);
    if (limits.tokensPerMinute() > 0 && tokens > limits.tokensPerMinute()) {
      throw new ApiException(tooLarge(tokens, limits));
    }
    String lease = RequestId.next();
    Optional<Reservation> reservation = reserve(limits, tokens, lease);
    reservation.ifPresent(known -> RateLimitHeaders.note(http, limits, known));
    if (reservation.isEmpty()) {
      return Ticket.FREE;
    }
    if (!reservation.get().isGranted()) {
      throw new ApiException(exhausted(reservation.get(), limits));
    }
    AtomicBoolean isSettled = new AtomicBoolean();
    return used -> {
      if (isSettled.compareAndSet(false, true)) {
        settle(limits, tokens - used.orElse(tokens), lease);
      }
    };
  }

  private static Limits limits(ApiKey key) {
    KeyLimits limits = key.limits();
    return new Limits(
        key.id(),
        limits.requestsPerMinute().orElse(0),
        limits.tokensPerMinute().orElse(0),
        limits.concurrent().orElse(0));
  }

  private long tokens(InferenceRequest request) {
    long prompt =
        switch (request.endpoint()) {
          case CHAT_COMPLETIONS -> estimate.ofMessages(request.json().path("messages"));
          case COMPLETIONS -> estimate.ofPrompt(request.json().path("prompt"));
        };
    int output =
        RequestedOutput.of(request.json(), request.endpoint()).orElse(UNKNOWN_OUTPUT_TOKENS);
    return prompt + Math.max(output, 0);
  }

  private Optional<Reservation> reserve(Limits limits, long tokens, String lease)
      throws InterruptedException {
    try {
      return Optional.of(
          quotas
              .reserve(limits, tokens, lease, placeLife)
              .toCompletableFuture()
              .get(REDIS_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
    } catch (ExecutionException | TimeoutException e) {
      log.warn("event=quotas_unreachable key={} reason=\"{}\"", limits.owner(), e.getMessage());
      return Optional.empty();
    }
  }

  private void settle(Limits limits, long unused, String lease) {
    var _ =
        quotas
            .settle(limits, unused, lease)
            .exceptionally(
                e -> {
                  log.warn(
                      "event=quota_not_settled key={} reason=\"{}\"",
                      limits.owner(),
                      e.getMessage());
                  return null;
                });
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
          case "requests" -> limits.requestsPerMinute() + " requests a minute";
          case "tokens" -> limits.tokensPerMinute() + " tokens a minute";
          default -> limits.places() + " requests at the same time";
        };
    return ApiError.of(ErrorKind.QUOTA_EXCEEDED, "the limit of this API key is reached: " + limit)
        .retryAfter(refused.waitMillis());
  }
}
