package io.sluice.router.request;

/** What a task has stored under a request's id: one value, whatever has become of the request. */
public sealed interface StoredRequest permits TrackedRequest, EndedRequest, EarlyControl {

  /** The id under which it is stored. */
  String requestId();

  /** The value as it is stored. */
  byte[] toBytes();

  /**
   * Reads a stored value.
   *
   * @throws java.io.UncheckedIOException if the value cannot be read
   */
  static StoredRequest fromBytes(String requestId, byte[] stored) {
    byte first = stored.length == 0 ? 0 : stored[0];
    return switch (first) {
      case EndedRequest.FORM -> EndedRequest.fromBytes(requestId, stored);
      case EarlyControl.CANCEL_FORM, EarlyControl.FORM -> EarlyControl.fromBytes(requestId, stored);
      default -> TrackedRequest.fromBytes(stored);
    };
  }
}
