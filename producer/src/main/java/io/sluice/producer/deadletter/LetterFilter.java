package io.sluice.producer.deadletter;

import java.time.Instant;
import java.util.Optional;

/**
 * Which dead letters are meant: those that are all of what is named.
 *
 * @param since not older than this, by the broker's clock
 */
public record LetterFilter(
    Optional<String> requestId,
    Optional<String> code,
    Optional<String> tenant,
    Optional<String> model,
    Optional<Instant> since) {

  /** Every letter. */
  public static LetterFilter all() {
    return new LetterFilter(
        Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** The letter of one request. */
  public static LetterFilter of(String requestId) {
    return new LetterFilter(
        Optional.of(requestId),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  boolean includes(DeadLetter letter) {
    return requestId.map(letter.requestId()::equals).orElse(true)
        && code.map(letter.code()::equals).orElse(true)
        && tenant.map(letter.tenant()::equals).orElse(true)
        && model.map(letter.model()::equals).orElse(true)
        && since.map(time -> letter.epochMillis() >= time.toEpochMilli()).orElse(true);
  }
}
