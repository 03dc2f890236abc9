package io.sluice.fleet.retry;

import io.sluice.fleet.redis.RedisCalls;
import io.sluice.fleet.redis.RedisKeys;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;

/**
 * Which pool requests the tries of HTTP clients began, so that a retry, at any gateway, gets the
 * answer of one instead of a new one. Equal requests that run at the same time have one
 * fingerprint; each retry takes over another of them. Kept in Redis for the life of the requests;
 * if Redis is away, a retry is a new request. Each stage fails after a bounded time if Redis cannot
 * be reached. Thread-safe.
 */
public final class RetryIndex {
  private static final String REUSED = "reused";
  private static final String TAKEN = "taken";

  /** OpenAI's clients give an answer up that has not arrived after ten minutes, by default. */
  private static final Duration RETRIED_WITHIN = Duration.ofMinutes(11);

  /** Clients wait at most a minute, since no refusal names a longer time. */
  private static final Duration REFUSED_RETRIED_WITHIN = Duration.ofSeconds(70);

  private final RedissonClient redis;
  private final RedisKeys keys;
  private final Duration retriedWithin;

  /** Creates the index of one pool. */
  public RetryIndex(RedissonClient redis, String pool) {
    this(redis, pool, RETRIED_WITHIN);
  }

  /**
   * @param retriedWithin how long a retry may come after the answer was sent, to the second
   */
  RetryIndex(RedissonClient redis, String pool, Duration retriedWithin) {
    this.redis = redis;
    this.keys = new RedisKeys(pool);
    this.retriedWithin = retriedWithin;
  }

  /**
   * An HTTP request that may be one of several tries.
   *
   * @param fingerprint the same for an HTTP request and its retries
   * @param id identifies the HTTP request
   * @param mayFollow whether it may be a retry
   * @param body the digest that all tries must have; empty if the fingerprint contains it
   */
  public record Try(String fingerprint, String id, boolean mayFollow, Optional<String> body) {}

  /** What a try is to do. */
  public sealed interface Begun {
    /** It begins a pool request of its own. */
    record Own() implements Begun {}

    /** It reads the answer to a pool request that an earlier try began. */
    record Following(String requestId) implements Begun {}

    /** An earlier try had another body. */
    record Reused() implements Begun {}
  }

  /**
   * Notes that a try is about to begin a pool request, or finds one that it takes over: one whose
   * client left and that no other try has taken over, or else one that other tries read too.
   *
   * @param requestId the pool request that it would begin
   * @param life how long a retry may come
   * @param failed a pool request that the try followed and that failed; it is given to no one else
   */
  public CompletionStage<Begun> begin(
      Try attempt, String requestId, Duration life, Optional<String> failed) {
    return run(
            RetryScripts.BEGIN,
            attempt,
            requestId,
            attempt.id(),
            Long.toString(life.toMillis()),
            Boolean.toString(attempt.mayFollow()),
            failed.orElse(""),
            attempt.body().orElse(""),
            Long.toString(retriedWithin.toSeconds()),
            Long.toString(REFUSED_RETRIED_WITHIN.toSeconds()))
        .thenApply(
            answer ->
                switch (answer) {
                  case "" -> new Begun.Own();
                  case REUSED -> new Begun.Reused();
                  default -> new Begun.Following(answer);
                });
  }

  /**
   * The answer to a try was sent to its client. Another try may take it over for a while, since it
   * may have been lost on its way.
   */
  public CompletionStage<Void> sent(Try attempt) {
    return leave(attempt, true);
  }

  /** The client of a try has left: another try may take over what it reads. */
  public CompletionStage<Void> leave(Try attempt) {
    return leave(attempt, false);
  }

  private CompletionStage<Void> leave(Try attempt, boolean isSent) {
    return run(RetryScripts.LEAVE, attempt, attempt.id(), Boolean.toString(isSent))
        .thenAccept(answer -> {});
  }

  /**
   * Returns whether another try has what a try read when it left. If none has, none can take it
   * over any more.
   */
  public CompletionStage<Boolean> isTakenOver(Try attempt) {
    return run(RetryScripts.ABANDON, attempt, attempt.id()).thenApply(TAKEN::equals);
  }

  /**
   * A try has no answer: a later try is not to follow it, unless another one still reads it, and
   * its own retry is not to follow an equal request.
   */
  public CompletionStage<Void> forget(Try attempt) {
    String within = Long.toString(REFUSED_RETRIED_WITHIN.toSeconds());
    return run(RetryScripts.FORGET, attempt, attempt.id(), within).thenAccept(answer -> {});
  }

  private CompletionStage<String> run(String script, Try attempt, Object... arguments) {
    return RedisCalls.<String>run(
            redis,
            script,
            RScript.ReturnType.VALUE,
            List.of(keys.retry(attempt.fingerprint())),
            arguments)
        .thenApply(answer -> answer == null ? "" : answer);
  }
}
