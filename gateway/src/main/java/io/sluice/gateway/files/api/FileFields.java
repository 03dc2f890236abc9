package io.sluice.gateway.files.api;

import io.sluice.gateway.files.form.FormPart;
import io.sluice.gateway.http.ApiException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The fields of an upload other than the file. Not thread-safe. */
final class FileFields {
  private static final Set<String> PURPOSES =
      Set.of("assistants", "batch", "evals", "fine-tune", "user_data", "vision");
  private static final String PURPOSE = "purpose";
  private static final String ANCHOR = "expires_after[anchor]";
  private static final String SECONDS = "expires_after[seconds]";
  private static final int MOST_BYTES = 1_024;
  private static final int LONGEST_FILENAME = 255;
  private static final Duration SHORTEST = Duration.ofHours(1);
  private static final Duration LONGEST = Duration.ofDays(30);

  private @Nullable String purpose;
  private @Nullable String anchor;
  private @Nullable Duration expiresAfter;

  /**
   * Takes a field; unknown ones are ignored.
   *
   * @throws ApiException if its value is wrong
   */
  void add(FormPart part) throws IOException {
    switch (part.name()) {
      case PURPOSE -> {
        purpose = text(part);
        if (!PURPOSES.contains(purpose)) {
          throw FileErrors.invalid(
              "purpose must be one of " + String.join(", ", PURPOSES.stream().sorted().toList()),
              PURPOSE);
        }
      }
      case ANCHOR -> {
        anchor = text(part);
        if (!anchor.equals("created_at")) {
          throw FileErrors.invalid(ANCHOR + " must be created_at", ANCHOR);
        }
      }
      case SECONDS -> expiresAfter = seconds(text(part));
      default -> {}
    }
  }

  private static String text(FormPart part) throws IOException {
    byte[] bytes = part.body().readNBytes(MOST_BYTES + 1);
    if (bytes.length > MOST_BYTES) {
      throw FileErrors.invalid(part.name() + " is too long", part.name());
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static Duration seconds(String text) {
    try {
      Duration time = Duration.ofSeconds(Long.parseLong(text));
      if (time.compareTo(SHORTEST) >= 0 && time.compareTo(LONGEST) <= 0) {
        return time;
      }
    } catch (NumberFormatException e) {
      throw wrongSeconds();
    }
    throw wrongSeconds();
  }

  private static ApiException wrongSeconds() {
    return FileErrors.invalid(
        "%s must be %d to %d".formatted(SECONDS, SHORTEST.toSeconds(), LONGEST.toSeconds()),
        SECONDS);
  }

  /**
   * Returns the name of a file, which is shown and never part of a path.
   *
   * @throws ApiException if it is too long or has control characters
   */
  static String filename(FormPart file) {
    String name = file.filename().filter(given -> !given.isEmpty()).orElse("upload");
    if (name.length() > LONGEST_FILENAME) {
      throw FileErrors.invalid(
          "the name of the file has more than %d characters".formatted(LONGEST_FILENAME), "file");
    }
    if (name.codePoints().anyMatch(Character::isISOControl)) {
      throw FileErrors.invalid("the name of the file has control characters", "file");
    }
    return name;
  }

  /**
   * Returns the purpose.
   *
   * @throws ApiException if there was none
   */
  String purpose() {
    if (purpose == null) {
      throw FileErrors.invalid("purpose is missing", PURPOSE);
    }
    return purpose;
  }

  /**
   * Returns when the file expires; files of batches do so after 30 days by themselves.
   *
   * @throws ApiException if only one of two fields was there
   */
  Optional<Instant> expiry(Instant createdAt) {
    if (anchor == null && expiresAfter != null) {
      throw FileErrors.invalid(ANCHOR + " is missing", ANCHOR);
    }
    if (anchor != null && expiresAfter == null) {
      throw FileErrors.invalid(SECONDS + " is missing", SECONDS);
    }
    Duration after = expiresAfter == null && purpose().equals("batch") ? LONGEST : expiresAfter;
    return Optional.ofNullable(after).map(createdAt::plus);
  }
}
