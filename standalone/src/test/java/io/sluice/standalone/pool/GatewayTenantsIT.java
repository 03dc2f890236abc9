package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.RequestId;
import io.sluice.gateway.app.Gateway;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What one tenant learns of another tenant's requests: nothing. */
@ExtendWith(SharedBackends.class)
class GatewayTenantsIT {
  private static final int PROBES = 10_000;
  private static final int AT_A_TIME = 48;
  private static final long SEED = 20_261_125;
  private static final List<String> OFFSETS =
      List.of(
          "00000000000000010000000100000000",
          "00000000000000010000000200000001",
          "-1",
          "now",
          "00000000000000010000000900000003");

  private final HttpClient http = HttpClient.newBuilder().version(Version.HTTP_1_1).build();

  /**
   * One question.
   *
   * @param path with a place for the id
   */
  private record Probe(String method, String path, Map<String, String> headers) {}

  @Test
  @Tag("slow")
  @Timeout(600)
  void anotherTenantsIdIsLikeOneThatIsUnknown(Backends backends) throws Exception {
    try (LocalPool pool = Pools.start(backends, 3);
        Gateway gateway = Pools.gateway(pool, Map.of("keep-alive-seconds", "0.1"))) {
      // Given
      URI base = URI.create("http://127.0.0.1:" + gateway.port());
      List<String> foreign = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        foreign.add(create(base, i % 2 == 0));
      }

      // Then
      SplittableRandom random = new SplittableRandom(SEED);
      try (ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME)) {
        List<Future<?>> checks = new ArrayList<>();
        for (int i = 0; i < PROBES; i++) {
          Probe probe = probe(random);
          String id = foreign.get(random.nextInt(foreign.size()));
          checks.add(
              threads.submit(
                  () -> {
                    check(base, probe, id);
                    return null;
                  }));
        }
        for (Future<?> check : checks) {
          check.get();
        }
      }
      for (String id : foreign) {
        assertThat(owned(base, id).statusCode()).as("the owner still has " + id).isEqualTo(200);
      }
    }
  }

  private static Probe probe(SplittableRandom random) {
    String offset = OFFSETS.get(random.nextInt(OFFSETS.size()));
    return switch (random.nextInt(9)) {
      case 0 -> new Probe("GET", "/v1/responses/resp_%s", Map.of());
      case 1 ->
          new Probe(
              "GET",
              "/v1/responses/resp_%s?stream=true&starting_after=" + random.nextInt(-1, 9),
              Map.of());
      case 2 -> new Probe("POST", "/v1/responses/resp_%s/cancel", Map.of());
      case 3 -> new Probe("DELETE", "/v1/responses/resp_%s", Map.of());
      case 4 ->
          new Probe(
              "GET", "/v1/responses/resp_%1$s/input_items?after=msg_%1$s_in_0&order=asc", Map.of());
      case 5 -> new Probe("GET", "/v1/requests/%s/log?offset=" + offset, Map.of());
      case 6 -> new Probe("GET", "/v1/requests/%s/log?live=long-poll&offset=" + offset, Map.of());
      case 7 -> new Probe("HEAD", "/v1/requests/%s/log", Map.of());
      default ->
          new Probe(
              "GET",
              "/v1/requests/%s/stream",
              offset.length() == 32 ? Map.of("last-event-id", offset) : Map.of());
    };
  }

  private void check(URI base, Probe probe, String foreign) throws Exception {
    String unknown = RequestId.derived(RequestId.timeOf(foreign).orElseThrow(), RequestId.next());
    HttpResponse<String> answer = ask(base, probe, foreign);
    assertThat(answer.statusCode()).as(probe + " " + answer.body()).isEqualTo(404);
    assertThat(shown(answer, foreign))
        .as(probe.toString())
        .isEqualTo(shown(ask(base, probe, unknown), unknown));
  }

  /** Returns all of a response but the id, and the headers that differ from each to each. */
  private static Map<String, String> shown(HttpResponse<String> response, String id) {
    Map<String, String> shown = new TreeMap<>();
    response.headers().map().forEach((name, values) -> shown.put(name, String.join(",", values)));
    List.of("date", "x-request-id", "openai-processing-ms").forEach(shown::remove);
    shown.put("body", response.body().replace(id, "ID"));
    shown.put("status", Integer.toString(response.statusCode()));
    return shown;
  }

  private HttpResponse<String> ask(URI base, Probe probe, String id) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(base.resolve(probe.path().formatted(id)))
            .header("x-sluice-tenant", "intruder")
            .method(probe.method(), BodyPublishers.noBody());
    probe.headers().forEach(request::header);
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> owned(URI base, String id) throws Exception {
    return http.send(
        HttpRequest.newBuilder(base.resolve("/v1/responses/resp_" + id))
            .header("x-sluice-tenant", "owner")
            .build(),
        BodyHandlers.ofString());
  }

  private String create(URI base, boolean isBackground) throws Exception {
    String body =
        "{\"model\":\"sluice-8b\",\"input\":\"A secret.\",\"max_output_tokens\":20,\"background\":%b}"
            .formatted(isBackground);
    HttpResponse<String> response =
        http.send(
            HttpRequest.newBuilder(base.resolve("/v1/responses"))
                .header("x-sluice-tenant", "owner")
                .header("content-type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build(),
            BodyHandlers.ofString());
    JsonNode created = Json.mapper().readTree(response.body());
    return created.path("id").asText().substring("resp_".length());
  }
}
