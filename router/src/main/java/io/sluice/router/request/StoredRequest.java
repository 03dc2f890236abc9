package io.sluice.router.request;

import java.io.IOException;

/**
 * What a task has stored under a request's id: one value, whatever has happened to the request.
 *
 * <p>Values outlive the router that wrote them, so every version must read what the versions before
 * and after it write. A value's first byte tells its form and the version of that form; JSON has
 * its own {@link TrackedForm#VERSION version}. Adding a JSON field, or appending to an {@link
 * EndedRequest}, keeps the version, because readers ignore what they do not know. Anything else
 * needs a new one.
 */
public sealed interface StoredRequest
    permits TrackedRequest, EndedRequest, EarlyControl, UnreadableRequest {

  /** Returns the id under which it is stored. */
  String requestId();

  /**
   * Reads a stored value, whatever it is. One that is damaged or of an unknown version is an {@link
   * UnreadableRequest}.
   */
  static StoredRequest fromBytes(String requestId, byte[] stored) {
    try {
      return read(requestId, stored);
    } catch (IOException | RuntimeException e) {
      return UnreadableRequest.of(requestId, e);
    }
  }

  private static StoredRequest read(String requestId, byte[] stored) throws IOException {
    byte first = stored.length == 0 ? 0 : stored[0];
    return switch (first) {
      case EndedRequest.FORM -> EndedRequest.fromBytes(requestId, stored);
      case EarlyControl.CANCEL_FORM, EarlyControl.FORM -> EarlyControl.fromBytes(requestId, stored);
      case TrackedForm.FIRST_BYTE -> TrackedRequest.fromBytes(requestId, stored);
      default -> throw new IOException("unknown format: the first byte is %d".formatted(first));
    };
  }
}
