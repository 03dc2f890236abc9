package io.sluice.gateway.files;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What is known of a file.
 *
 * @param id {@code file-} and a text that sorts by the time of its creation
 * @param tenant who owns the file
 * @param filename only shown, never part of a path
 * @param purpose OpenAI's, such as {@code batch}
 * @param createdAt to the second
 * @param expiresAt from then on the file does not exist; empty if it stays until it is deleted
 * @param partBytes the sizes of the parts, in their order
 */
public record StoredFile(
    String id,
    String tenant,
    String filename,
    String purpose,
    Instant createdAt,
    Optional<Instant> expiresAt,
    List<Integer> partBytes) {

  public StoredFile {
    partBytes = List.copyOf(partBytes);
  }

  /** Returns the size of the file. */
  public long bytes() {
    return partBytes.stream().mapToLong(Integer::longValue).sum();
  }

  /** Returns whether the file no longer exists at a time. */
  public boolean isExpired(Instant now) {
    return expiresAt.isPresent() && !now.isBefore(expiresAt.get());
  }
}
