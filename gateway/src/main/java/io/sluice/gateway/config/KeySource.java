package io.sluice.gateway.config;

import java.nio.file.Path;

/** Where a gateway finds its API keys. */
public sealed interface KeySource {
  /** Nowhere: every client may use the gateway. */
  record None() implements KeySource {}

  /** In the pool's Redis, for any number of gateways. */
  record Redis() implements KeySource {}

  /** In a file on this machine. */
  record File(Path path) implements KeySource {}

  /**
   * Parses {@code none}, {@code redis} or {@code file:PATH}.
   *
   * @throws IllegalArgumentException if it is none of these
   */
  static KeySource parse(String text) {
    if (text.equals("none")) {
      return new None();
    }
    if (text.equals("redis")) {
      return new Redis();
    }
    if (text.startsWith("file:") && text.length() > "file:".length()) {
      return new File(Path.of(text.substring("file:".length())));
    }
    throw new IllegalArgumentException("expected none, redis or file:PATH");
  }
}
