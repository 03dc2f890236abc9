package io.sluice.producer.deadletter;

import java.time.Instant;
import java.util.Optional;

/**
 * Selects the dead letters that match all given criteria.
 *
 * @param since the earliest time, by the broker's clock
 */
public record DeadLetterFilter(
    Optional<String> requestId,
    Optional<String> code,
    Optional<String> tenant,
    Optional<String> model,
    Optional<Instant> since) {

  /** Selects all dead letters. */
  public static DeadLetterFilter all() {
    return new DeadLetterFilter(
        Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** Selects the dead letter of one request. */
  public static DeadLetterFilter of(String requestId) {
    return new DeadLetterFilter(
        Optional.of(requestId),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  boolean includes(DeadLetter deadLetter) {
    return requestId.map(deadLetter.requestId()::equals).orElse(true)
        && code.map(deadLetter.code()::equals).orElse(true)
        && tenant.map(deadLetter.tenant()::equals).orElse(true)
        && model.map(deadLetter.model()::equals).orElse(true)
        && since.map(time -> deadLetter.epochMillis() >= time.toEpochMilli()).orElse(true);
  }
}
