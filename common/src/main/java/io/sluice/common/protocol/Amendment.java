package io.sluice.common.protocol;

import java.util.NoSuchElementException;
import java.util.Optional;
import org.apache.kafka.common.header.Headers;

/**
 * What has become different of a request that a worker is at, in the headers of a worker-topic
 * record without a value.
 *
 * @param lease under which the worker has it
 * @param priority what it is from now on
 * @param remainingMillis how long the answer is wanted still, counted from the receipt
 */
public record Amendment(LeaseRef lease, Priority priority, long remainingMillis) {

  /** The header {@code kind} of an amendment. */
  public static final String KIND = "amend";

  /** Writes the amendment into a record's headers. */
  public void writeTo(Headers headers) {
    HeaderText.set(headers, HeaderNames.VERSION, HeaderNames.VERSION_1);
    HeaderText.set(headers, HeaderNames.KIND, KIND);
    LeaseHeaders.write(headers, lease);
    HeaderText.set(headers, HeaderNames.PRIORITY, priority.headerValue());
    HeaderText.set(headers, HeaderNames.REMAINING_MS, Long.toString(remainingMillis));
  }

  /** Reads an amendment; empty if the record is none, or is not whole. */
  public static Optional<Amendment> parse(Headers headers) {
    if (!HeaderText.get(headers, HeaderNames.KIND).equals(Optional.of(KIND))) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new Amendment(
              LeaseHeaders.read(headers),
              HeaderText.get(headers, HeaderNames.PRIORITY).flatMap(Priority::parse).orElseThrow(),
              HeaderText.getLong(headers, HeaderNames.REMAINING_MS).orElseThrow()));
    } catch (NoSuchElementException e) {
      return Optional.empty();
    }
  }
}
