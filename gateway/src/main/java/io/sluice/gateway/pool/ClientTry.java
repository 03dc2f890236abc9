package io.sluice.gateway.pool;

import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.Sha256;
import io.sluice.fleet.retry.RetryIndex;
import io.sluice.gateway.access.Caller;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;

/**
 * One of the tries of an HTTP client to send the same request. A client with {@code
 * Idempotency-Key} says which tries belong together; OpenAI's clients only count them, so that the
 * same API key and body must do.
 *
 * @param noted as the pool knows it; empty for clients that do not retry by themselves
 */
public record ClientTry(Optional<RetryIndex.Try> noted) {
  /** The try of a client that does not retry by itself. */
  static final ClientTry ONLY = new ClientTry(Optional.empty());

  private static final String IDEMPOTENCY_KEY = "idempotency-key";
  private static final String RETRY_COUNT = "x-stainless-retry-count";
  private static final int FINGERPRINT_BYTES = 18;

  /** Reads the headers of an HTTP request. */
  public static ClientTry of(HttpRequest<?> request, Caller caller, byte[] body) {
    HttpHeaders headers = request.getHeaders();
    String id = RequestId.next();
    String key = headers.get(IDEMPOTENCY_KEY);
    String scope = caller.tenant() + '\0' + request.getPath() + '\0';
    if (key != null && !key.isEmpty()) {
      String fingerprint = digest(scope + "key", key.getBytes(StandardCharsets.UTF_8));
      return noted(new RetryIndex.Try(fingerprint, id, true, Optional.of(digest("", body))));
    }
    String count = headers.get(RETRY_COUNT);
    if (count != null) {
      String fingerprint = digest(scope + caller.keyId().orElse("") + '\0' + "body", body);
      return noted(new RetryIndex.Try(fingerprint, id, !count.equals("0"), Optional.empty()));
    }
    return ONLY;
  }

  private static ClientTry noted(RetryIndex.Try attempt) {
    return new ClientTry(Optional.of(attempt));
  }

  private static String digest(String scope, byte[] content) {
    byte[] whole = Sha256.of((scope + '\0').getBytes(StandardCharsets.UTF_8), content);
    return HexFormat.of().formatHex(whole, 0, FINGERPRINT_BYTES);
  }
}
