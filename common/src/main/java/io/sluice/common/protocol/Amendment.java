package io.sluice.common.protocol;

import java.util.NoSuchElementException;
import java.util.Optional;
import org.apache.kafka.common.header.Headers;

/**
 * A change to a request that a worker is processing, in the headers of a worker-topic record
 * without a value.
 *
 * @param lease the lease under which the worker has the request
 * @param priority the priority from now on
 * @param remainingMillis the time left until the deadline, counted from when the worker receives
 *     this record
 */
public record Amendment(LeaseRef lease, Priority priority, long remainingMillis) {

  /** The value of the header {@code kind} of an amendment. */
  public static final String KIND = "amend";

  /** Writes the amendment into a record's headers. */
  public void writeTo(Headers headers) {
    HeaderText.set(headers, HeaderNames.VERSION, HeaderNames.VERSION_1);
    HeaderText.set(headers, HeaderNames.KIND, KIND);
    LeaseHeaders.write(headers, lease);
    HeaderText.set(headers, HeaderNames.PRIORITY, priority.headerValue());
    HeaderText.set(headers, HeaderNames.REMAINING_MS, Long.toString(remainingMillis));
  }

  /** Reads an amendment; empty if the record is not one or is incomplete. */
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
