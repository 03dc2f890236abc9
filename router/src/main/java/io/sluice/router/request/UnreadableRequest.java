package io.sluice.router.request;

/**
 * A stored value that this router cannot read: it is damaged, or a later version wrote it. What has
 * happened to its request is not known, so the router must neither run nor answer the request. The
 * value stays as it is. A router that can read it continues with the request.
 *
 * @param cause why it cannot be read, in one line
 */
public record UnreadableRequest(String requestId, String cause) implements StoredRequest {
  private static final int CAUSE_CHARACTERS = 200;

  static UnreadableRequest of(String requestId, Exception failure) {
    String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
    String cause = message.lines().findFirst().orElse("");
    return new UnreadableRequest(
        requestId, cause.substring(0, Math.min(cause.length(), CAUSE_CHARACTERS)));
  }
}
