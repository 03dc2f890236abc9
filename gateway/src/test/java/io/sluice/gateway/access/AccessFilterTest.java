package io.sluice.gateway.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MutableHttpRequest;
import io.sluice.gateway.http.ApiException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessFilterTest {
  private static final Duration MAX_AGE = Duration.ofHours(1);
  private static final KeyLimits NO_LIMITS =
      new KeyLimits(
          OptionalLong.empty(),
          OptionalLong.empty(),
          OptionalInt.empty(),
          List.of(),
          List.of(),
          Optional.empty());

  private final AtomicLong now = new AtomicLong();
  private final MutableHttpRequest<?> request = HttpRequest.GET("/v1/models");

  @Test
  void anUncheckedRequestHasNoCaller() {
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(() -> Caller.of(request))
        .satisfies(e -> assertThat(e.error().status()).isEqualTo(401));
  }

  @Test
  void withoutKeysTheHeaderNamesTheTenant() throws Exception {
    // Given
    AccessFilter filter = new AccessFilter(GatewayKeys.NONE, (_, _) -> null);

    // Then
    assertThat(filter.authenticate(request)).isNull();
    assertThat(Caller.of(request).tenant()).isEqualTo("default");
    request.header("x-sluice-tenant", "acme");
    assertThat(filter.authenticate(request)).isNull();
    assertThat(Caller.of(request).tenant()).isEqualTo("acme");
  }

  @Test
  void withKeysOnlyTheKeyNamesTheTenant(@TempDir Path folder) throws Exception {
    // Given
    FileKeys keys = new FileKeys(folder.resolve("keys"));
    String secret = added(keys);

    // When
    request.header("x-sluice-tenant", "other").bearerAuth(secret);

    // Then
    assertThat(filter(keys).authenticate(request)).isNull();
    assertThat(Caller.of(request).tenant()).isEqualTo("acme");
  }

  @Test
  void keysThatAreTooOldOpenNothing(@TempDir Path folder) throws Exception {
    // Given
    Path file = folder.resolve("keys");
    FileKeys keys = new FileKeys(file);
    request.bearerAuth(added(keys));
    AccessFilter filter = filter(keys);
    Files.writeString(file, "garbage");

    // When
    now.addAndGet(MAX_AGE.toNanos());

    // Then
    HttpResponse<?> response = filter.authenticate(request);
    assertThat(response).isNotNull();
    assertThat(response.code()).isEqualTo(503);
    assertThat(response.header("retry-after")).isEqualTo("1");
  }

  private AccessFilter filter(FileKeys keys) throws IOException {
    return new AccessFilter(
        new GatewayKeys(Optional.of(new KeyRing(keys, MAX_AGE, now::get))), (_, _) -> null);
  }

  private static String added(FileKeys keys) throws IOException {
    String secret = ApiKey.newSecret(new SecureRandom());
    keys.add(
        new ApiKey(
            ApiKey.idIn(secret).orElseThrow(),
            ApiKey.hash(secret),
            "acme",
            Optional.empty(),
            "",
            NO_LIMITS));
    return secret;
  }
}
