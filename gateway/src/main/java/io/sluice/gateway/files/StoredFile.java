package io.sluice.gateway.files;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
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
 * @param parts in their order
 */
public record StoredFile(
    String id,
    String tenant,
    String filename,
    String purpose,
    Instant createdAt,
    Optional<Instant> expiresAt,
    List<Part> parts) {

  /**
   * A part of a file.
   *
   * @param name unique in its file: letters, digits and {@code -}
   * @param bytes its size
   */
  public record Part(String name, int bytes) {
    /** Returns the part with an index in a file that one writer writes. */
    public static Part of(int index, int bytes) {
      return new Part(String.format(Locale.ROOT, "%08d", index), bytes);
    }
  }

  public StoredFile {
    parts = List.copyOf(parts);
  }

  /** Returns the size of the file. */
  public long bytes() {
    return parts.stream().mapToLong(Part::bytes).sum();
  }

  /** Returns whether the file no longer exists at a time. */
  public boolean isExpired(Instant now) {
    return expiresAt.isPresent() && !now.isBefore(expiresAt.get());
  }
}
