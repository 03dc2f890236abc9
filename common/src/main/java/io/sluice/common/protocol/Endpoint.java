package io.sluice.common.protocol;

import java.util.Optional;

/** The engine endpoints that a request can use. */
public enum Endpoint {
  CHAT_COMPLETIONS("/v1/chat/completions"),
  COMPLETIONS("/v1/completions");

  private final String path;

  Endpoint(String path) {
    this.path = path;
  }

  public String path() {
    return path;
  }

  /** Parses a path; empty if the endpoint is not supported. */
  public static Optional<Endpoint> parse(String path) {
    for (Endpoint endpoint : values()) {
      if (endpoint.path.equals(path)) {
        return Optional.of(endpoint);
      }
    }
    return Optional.empty();
  }
}
