package io.sluice.gateway.files;

import io.sluice.common.protocol.RequestId;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;

/** The ids of files: {@code file-} and a UUIDv7, so that they sort by the time of creation. */
final class FileId {
  private static final String PREFIX = "file-";
  private static final Pattern ID = Pattern.compile(PREFIX + "[A-Za-z0-9_-]{1,64}");

  private FileId() {}

  static String next() {
    return of(RequestId.next());
  }

  static String of(String uuid) {
    return PREFIX + uuid;
  }

  /** Returns whether a text can be the id of a file. */
  static boolean isValid(String id) {
    return ID.matcher(id).matches();
  }

  /** Returns when an id was made; empty if it was not made here. */
  static Optional<Instant> timeOf(String id) {
    return id.startsWith(PREFIX)
        ? RequestId.timeOf(id.substring(PREFIX.length()))
        : Optional.empty();
  }
}
