package io.sluice.gateway.config;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where a gateway stores files. */
public sealed interface FileStorage {
  /** Nowhere: the gateway has no files. */
  record None() implements FileStorage {}

  /** In a folder, which all gateways of the pool must share. */
  record Folder(Path path) implements FileStorage {}

  /**
   * In a bucket of S3 or of a server that speaks its protocol.
   *
   * @param prefix the keys begin with it; empty or with a slash at its end
   */
  record S3(String bucket, String prefix) implements FileStorage {
    private static final Pattern TEXT =
        Pattern.compile("s3:([A-Za-z0-9.-]{3,63})(?:/([A-Za-z0-9._/-]*[A-Za-z0-9._-]))?/?");
  }

  /**
   * Parses {@code none}, {@code folder:PATH} or {@code s3:BUCKET[/PREFIX]}.
   *
   * @throws IllegalArgumentException if it is none of these
   */
  static FileStorage parse(String text) {
    if (text.equals("none")) {
      return new None();
    }
    if (text.startsWith("folder:") && text.length() > "folder:".length()) {
      return new Folder(Path.of(text.substring("folder:".length())));
    }
    Matcher s3 = S3.TEXT.matcher(text);
    if (s3.matches()) {
      return new S3(s3.group(1), s3.group(2) == null ? "" : s3.group(2) + "/");
    }
    throw new IllegalArgumentException("expected none, folder:PATH or s3:BUCKET[/PREFIX]");
  }
}
