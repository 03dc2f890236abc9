package io.sluice.simulator.endpoint;

import io.sluice.simulator.http.Exchange;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Checks API keys. A key is required under the guarded prefixes only. */
final class ApiKeys {

  private static final List<String> GUARDED = List.of("/v1", "/v2", "/inference");
  private static final String SCHEME = "bearer ";

  private final List<byte[]> digests;

  ApiKeys(Set<String> keys) {
    digests = keys.stream().map(ApiKeys::digest).toList();
  }

  boolean allow(Exchange exchange) {
    if (digests.isEmpty()
        || exchange.method().equals("OPTIONS")
        || GUARDED.stream().noneMatch(exchange.path()::startsWith)) {
      return true;
    }
    byte[] given =
        digest(
            exchange
                .header("authorization")
                .filter(value -> value.regionMatches(true, 0, SCHEME, 0, SCHEME.length()))
                .map(value -> value.substring(SCHEME.length()))
                .orElse(""));
    return Stream.of(digests.toArray(byte[][]::new))
        .map(key -> MessageDigest.isEqual(key, given))
        .reduce(false, Boolean::logicalOr);
  }

  private static byte[] digest(String key) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256.", e);
    }
  }
}
