package io.sluice.gateway.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MutableHttpRequest;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.config.GatewayConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BrowserFilterTest {
  private static final String PAGE = "https://example.org";

  private final BrowserFilter filter = filter(Map.of());
  private final MutableHttpRequest<?> request = HttpRequest.POST("/v1/batches/b/cancel", "");

  @Test
  void aProgramNeedsNeitherHostNorOrigin() {
    assertThat(filter.admit(request)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "LocalHost:8080",
        "pool.localhost:8080",
        "host.docker.internal:8080",
        "127.0.0.1:8080",
        "127.1.2.3",
        "[::1]:8080",
        "[::1]"
      })
  void thisMachineMayBeCalledByItsNames(String host) {
    // Given
    request.header("host", host).header("origin", "http://" + host);

    // Then
    assertThat(filter.admit(request)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "example.org",
        "example.org:8080",
        "localhost.example.org",
        "notlocalhost",
        "127.0.0.1.example.org",
        "127.0.0.1:8080.example.org",
        "1127.0.0.1",
        "10.0.0.1:8080",
        "0.0.0.0",
        "[::2]:8080",
        ""
      })
  void anotherNameIsThatOfAPageThatMadeItPointHere(String host) throws Exception {
    // Given
    request.header("host", host);

    // Then
    assertRefused(filter, "Host", "--keys");
  }

  @Test
  void allNamesOfARequestMustBeThisMachines() throws Exception {
    // Given
    request.header("host", "localhost").header("host", "example.org");

    // Then
    assertRefused(filter, "Host", "localhost");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        PAGE,
        "null",
        "http://localhost.example.org",
        "https://127.0.0.1.example.org",
        "chrome-extension://localhost",
        "http://localhost/"
      })
  void aPageOfAnotherOriginIsRefusedUnlessItIsNamed(String origin) throws Exception {
    // Given
    request.header("host", "localhost:8080").header("origin", origin);

    // Then
    assertRefused(filter, "Origin", "--cors-origins");
    assertRefused(
        filter(Map.of("cors-origins", "https://example.com")), "Origin", "--cors-origins");
    assertThat(filter(Map.of("cors-origins", origin)).admit(request)).isNull();
    assertThat(filter(Map.of("cors-origins", "*")).admit(request)).isNull();
  }

  @Test
  void thatAllPagesMayCallGivesTheGatewayNoOtherName() throws Exception {
    // Given
    request.header("host", "example.org").header("origin", "http://example.org");

    // Then
    assertRefused(filter(Map.of("cors-origins", "*")), "Host", "localhost");
  }

  @Test
  void aGatewayWithKeysHasAnyName() {
    // Given
    request.header("host", "api.example.org").header("origin", PAGE);

    // Then
    assertThat(filter(Map.of("keys", "redis")).admit(request)).isNull();
  }

  private void assertRefused(BrowserFilter by, String param, String remedy) throws Exception {
    HttpResponse<?> response = by.admit(request);
    assertThat(response).isNotNull();
    assertThat(response.code()).isEqualTo(403);
    var error =
        Json.mapper()
            .readTree(new String(response.getBody(byte[].class).orElseThrow(), UTF_8))
            .path("error");
    assertThat(error.path("type").asText()).isEqualTo("permission_error");
    assertThat(error.path("param").asText()).isEqualTo(param);
    assertThat(error.path("message").asText()).contains(remedy);
  }

  private static BrowserFilter filter(Map<String, String> settings) {
    return new BrowserFilter(GatewayConfig.of(settings));
  }
}
