package io.sluice.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** What the server of a gateway without keys says to web pages. It needs no pool for that. */
@Tag("slow")
@TestInstance(Lifecycle.PER_CLASS)
class WebPagesTest {
  private static final String THIS_MACHINE = "127.0.0.1";

  /** A name of the same address that is none of those that are allowed. */
  private static final String OTHER_NAME = "[::ffff:127.0.0.1]";

  private ApplicationContext context;
  private EmbeddedServer server;

  @BeforeAll
  void start() {
    context = PoollessGateway.start("none");
    server = context.getBean(EmbeddedServer.class).start();
  }

  @AfterAll
  void stop() {
    context.close();
  }

  @Test
  void theyCannotCallItByAnotherNameOverAnyVersionOfHttp() throws Exception {
    for (Version version : List.of(Version.HTTP_1_1, Version.HTTP_2)) {
      assertThat(statuses(version, OTHER_NAME)).as("%s", version).containsExactly(403, 403);
      assertThat(statuses(version, THIS_MACHINE)).as("%s", version).containsExactly(200, 200);
    }
  }

  /** Over HTTP/2, the first request is an upgrade, and only the second has an authority. */
  private List<Integer> statuses(Version version, String host) throws Exception {
    try (HttpClient http = HttpClient.newBuilder().version(version).build()) {
      int first = get(http, host).statusCode();
      HttpResponse<String> second = get(http, host);
      assertThat(second.version()).isEqualTo(version);
      return List.of(first, second.statusCode());
    }
  }

  @Test
  void theyCannotCallItFromAnotherOrigin() throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> response = get(http, THIS_MACHINE, "origin", "https://example.org");

      assertThat(response.statusCode()).isEqualTo(403);
      assertThat(response.body())
          .startsWith("{\"error\":{\"message\":\"a gateway without API keys");
    }
  }

  private HttpResponse<String> get(HttpClient http, String host, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
            URI.create("http://%s:%d/openapi.yaml".formatted(host, server.getPort())));
    return http.send(
        (headers.length == 0 ? request : request.headers(headers)).build(),
        BodyHandlers.ofString());
  }
}
