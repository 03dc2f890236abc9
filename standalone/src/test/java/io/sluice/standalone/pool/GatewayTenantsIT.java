package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What one tenant learns of another tenant's requests, files and batches: nothing. */
@ExtendWith(SharedBackends.class)
class GatewayTenantsIT {
  private static final int PROBES = 10_000;
  private static final int AT_A_TIME = 48;
  private static final int RESPONSES = 8;
  private static final int BATCHES = 4;
  private static final long SEED = 20_261_125;
  private static final String OWNER = "owner";
  private static final String INTRUDER = "intruder";
  private static final List<String> OFFSETS =
      List.of("00000000000000010000000100000000", "-1", "now");

  private static final Map<String, String> JSON = Map.of("content-type", "application/json");
  private static final String RESPONSE =
      """
      {"model":"sluice-8b","input":"A secret.","max_output_tokens":20,"background":%b}""";
  private static final String BATCH =
      """
      {"input_file_id":"FILE","endpoint":"/v1/chat/completions","completion_window":"24h"}""";

  /** A form with a file of one line. */
  private static final Probe FORM =
      new Probe(
          "POST",
          "/v1/files",
          Map.of("content-type", "multipart/form-data; boundary=edge"),
          """
          --edge\r
          content-disposition: form-data; name="purpose"\r
          \r
          batch\r
          --edge\r
          content-disposition: form-data; name="file"; filename="in.jsonl"\r
          \r
          {"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{"model":"sluice-8b",\
          "max_tokens":4,"messages":[{"role":"user","content":"A secret."}]}}\r
          --edge--\r
          """,
          false);

  private final HttpClient http = HttpClient.newBuilder().version(Version.HTTP_1_1).build();

  /**
   * What belongs to somebody.
   *
   * @param offset a place in the log of the answer
   */
  private record Ids(String request, String file, String batch, String offset) {
    /** Returns ids of the same form and time that nobody has. */
    Ids unknown() {
      String none = RequestId.derived(RequestId.timeOf(request).orElseThrow(), RequestId.next());
      return new Ids(none, "file-" + none, "batch_" + none, offset);
    }

    String in(String text) {
      return text.replace("REQUEST", request)
          .replace("FILE", file)
          .replace("BATCH", batch)
          .replace("OFFSET", offset);
    }

    String without(String text) {
      return text.replace(file, "ID").replace(batch, "ID").replace(request, "ID");
    }
  }

  /**
   * One question, with places for ids in its path, headers and body.
   *
   * @param isList whether it has an answer: what the intruder itself has
   */
  private record Probe(
      String method, String path, Map<String, String> headers, String body, boolean isList) {
    static Probe of(String method, String path) {
      return new Probe(method, path, Map.of(), "", false);
    }

    static Probe list(String path) {
      return new Probe("GET", path, Map.of(), "", true);
    }

    static Probe post(String path, String body) {
      return new Probe("POST", path, JSON, body, false);
    }
  }

  @Test
  @Tag("slow")
  @Timeout(600)
  void anotherTenantsIdIsLikeOneThatIsUnknown(Backends backends, @TempDir Path folder)
      throws Exception {
    try (LocalPool pool = Pools.start(backends, 3);
        Gateway gateway =
            Pools.gateway(pool, Map.of("keep-alive-seconds", "0.1", "files", "folder:" + folder))) {
      // Given
      URI base = URI.create("http://127.0.0.1:" + gateway.port());
      List<Ids> foreign = foreign(base);

      // Then
      SplittableRandom random = new SplittableRandom(SEED);
      try (ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME)) {
        List<Future<?>> checks = new ArrayList<>();
        for (int i = 0; i < PROBES; i++) {
          Probe probe = probe(random);
          Ids ids = foreign.get(random.nextInt(foreign.size()));
          checks.add(
              threads.submit(
                  () -> {
                    check(base, probe, ids);
                    return null;
                  }));
        }
        for (Future<?> check : checks) {
          check.get();
        }
      }
      for (Ids ids : foreign) {
        for (String path :
            List.of("/v1/responses/resp_REQUEST", "/v1/files/FILE", "/v1/batches/BATCH")) {
          assertThat(ask(base, OWNER, Probe.of("GET", path), ids).statusCode())
              .as("the owner still has " + ids.in(path))
              .isEqualTo(200);
        }
      }
    }
  }

  private static Probe probe(SplittableRandom random) {
    String offset = random.nextInt(4) == 0 ? OFFSETS.get(random.nextInt(OFFSETS.size())) : "OFFSET";
    return switch (random.nextInt(18)) {
      case 0 -> Probe.of("GET", "/v1/responses/resp_REQUEST");
      case 1 ->
          Probe.of(
              "GET",
              "/v1/responses/resp_REQUEST?stream=true&starting_after=" + random.nextInt(-1, 9));
      case 2 -> Probe.of("POST", "/v1/responses/resp_REQUEST/cancel");
      case 3 -> Probe.of("DELETE", "/v1/responses/resp_REQUEST");
      case 4 ->
          Probe.of(
              "GET", "/v1/responses/resp_REQUEST/input_items?after=msg_REQUEST_in_0&order=asc");
      case 5 -> Probe.of("GET", "/v1/requests/REQUEST/log?offset=" + offset);
      case 6 -> Probe.of("GET", "/v1/requests/REQUEST/log?live=long-poll&offset=" + offset);
      case 7 -> Probe.of("HEAD", "/v1/requests/REQUEST/log");
      case 8 ->
          Probe.post(
              "/v1/responses",
              """
              {"model":"sluice-8b","input":"Go on.","previous_response_id":"resp_REQUEST"}""");
      case 9 -> Probe.of("GET", "/v1/files/FILE");
      case 10 -> Probe.of("GET", "/v1/files/FILE/content");
      case 11 -> Probe.of("DELETE", "/v1/files/FILE");
      case 12 -> Probe.list("/v1/files?after=FILE");
      case 13 -> Probe.of("GET", "/v1/batches/BATCH");
      case 14 -> Probe.of("POST", "/v1/batches/BATCH/cancel");
      case 15 -> Probe.list("/v1/batches?after=BATCH");
      case 16 -> Probe.post("/v1/batches", BATCH);
      default ->
          new Probe(
              "GET",
              "/v1/requests/REQUEST/stream",
              offset.length() < 6 ? Map.of() : Map.of("last-event-id", offset),
              "",
              false);
    };
  }

  private void check(URI base, Probe probe, Ids foreign) throws Exception {
    Ids unknown = foreign.unknown();
    HttpResponse<String> answer = ask(base, INTRUDER, probe, foreign);
    if (!probe.isList()) {
      assertThat(answer.statusCode()).as(probe + " " + answer.body()).isIn(400, 404);
    }
    assertThat(shown(answer, foreign))
        .as(probe.toString())
        .isEqualTo(shown(ask(base, INTRUDER, probe, unknown), unknown));
  }

  /** Returns all of a response but the ids, and the headers that differ from each to each. */
  private static Map<String, String> shown(HttpResponse<String> response, Ids ids) {
    Map<String, String> shown = new TreeMap<>();
    response.headers().map().forEach((name, values) -> shown.put(name, String.join(",", values)));
    List.of("date", "x-request-id", "openai-processing-ms").forEach(shown::remove);
    shown.put("body", ids.without(response.body()));
    shown.put("status", Integer.toString(response.statusCode()));
    return shown;
  }

  private HttpResponse<String> ask(URI base, String tenant, Probe probe, Ids ids) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(base.resolve(ids.in(probe.path())))
            .header("x-sluice-tenant", tenant)
            .method(
                probe.method(),
                probe.body().isEmpty()
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofString(ids.in(probe.body())));
    probe.headers().forEach((name, value) -> request.header(name, ids.in(value)));
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private List<Ids> foreign(URI base) throws Exception {
    List<String> files = new ArrayList<>();
    List<String> batches = new ArrayList<>();
    for (int i = 0; i < BATCHES; i++) {
      Ids file = new Ids("", created(base, FORM), "", "");
      files.add(file.file());
      batches.add(created(base, Probe.post("/v1/batches", file.in(BATCH))));
    }
    List<Ids> foreign = new ArrayList<>();
    for (int i = 0; i < RESPONSES; i++) {
      String id = created(base, Probe.post("/v1/responses", RESPONSE.formatted(i % 2 == 0)));
      String request = id.substring("resp_".length());
      Ids ids = new Ids(request, files.get(i % BATCHES), batches.get(i % BATCHES), "");
      foreign.add(new Ids(request, ids.file(), ids.batch(), nextOffset(base, ids)));
    }
    return foreign;
  }

  /** Returns the place after what the answer has so far. */
  private String nextOffset(URI base, Ids ids) {
    Probe log = Probe.of("GET", "/v1/requests/REQUEST/log?offset=-1");
    return await()
        .until(
            () -> ask(base, OWNER, log, ids).headers().firstValue("stream-next-offset"),
            Optional::isPresent)
        .orElseThrow();
  }

  private String created(URI base, Probe probe) throws Exception {
    HttpResponse<String> response = ask(base, OWNER, probe, new Ids("", "", "", ""));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return Json.mapper().readTree(response.body()).path("id").asText();
  }
}
