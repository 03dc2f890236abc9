package io.sluice.gateway.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.http.HttpRequest;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.access.KeyLimits;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClientTryTest {
  private static final Caller ONE = caller("000000000001", "acme");
  private static final Caller TWO = caller("000000000002", "acme");

  @Test
  void triesThatAreOnlyCountedBelongTogetherIfKeyAndBodyAreTheSame() {
    String first = counted(ONE, "0", "a");

    assertThat(counted(ONE, "1", "a")).isEqualTo(first);
    assertThat(counted(ONE, "1", "b")).isNotEqualTo(first);
    assertThat(counted(TWO, "1", "a")).isNotEqualTo(first);
    assertThat(counted(Caller.ofTenant("acme"), "1", "a")).isNotEqualTo(first);
  }

  @Test
  void anIdempotencyKeyIsOfTheWholeTenant() {
    assertThat(named(TWO, "k", "a")).isEqualTo(named(ONE, "k", "a"));
    assertThat(named(caller("000000000003", "other"), "k", "a")).isNotEqualTo(named(ONE, "k", "a"));
  }

  @Test
  void aClientThatDoesNotRetryHasOneTry() {
    var request = HttpRequest.POST("/v1/completions", "a");

    assertThat(ClientTry.of(request, ONE, bytes("a")).noted()).isEmpty();
  }

  private static String counted(Caller caller, String count, String body) {
    return fingerprint("x-stainless-retry-count", count, caller, body);
  }

  private static String named(Caller caller, String key, String body) {
    return fingerprint("idempotency-key", key, caller, body);
  }

  private static String fingerprint(String header, String value, Caller caller, String body) {
    var request = HttpRequest.POST("/v1/completions", body).header(header, value);
    return ClientTry.of(request, caller, bytes(body)).noted().orElseThrow().fingerprint();
  }

  private static Caller caller(String keyId, String tenant) {
    return new Caller(tenant, KeyLimits.NONE, Optional.of(keyId));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
