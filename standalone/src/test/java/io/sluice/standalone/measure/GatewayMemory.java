package io.sluice.standalone.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.standalone.backend.LocalPort;
import io.sluice.standalone.kafka.EmbeddedKafka;
import io.sluice.standalone.pool.PoolPlan;
import io.sluice.standalone.redis.EmbeddedRedis;
import java.io.BufferedWriter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Measures the memory of a gateway's process while it runs a large batch, and while many clients
 * follow a response that does not come. Arguments: lines of the batch, clients.
 */
public final class GatewayMemory {
  private static final String ABSENT_MODEL = "absent";
  private static final int LOOK_AGAIN_SECONDS = 2;
  private static final int CHATS = 50;
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final LaunchedService gateway;
  private final URI uri;

  private GatewayMemory(LaunchedService gateway, int port) {
    this.gateway = gateway;
    this.uri = URI.create("http://127.0.0.1:" + port);
  }

  public static void main(String[] args) throws Exception {
    int lines = HopOverhead.argument(args, 0, 100_000);
    int clients = HopOverhead.argument(args, 1, 10_000);
    QuietLog.set();
    Path folder = Files.createTempDirectory("sluice-gateway-memory-");
    try (var kafka = EmbeddedKafka.start(new EmbeddedKafka.Config(0, Optional.empty()));
        var redis = EmbeddedRedis.start(0)) {
      List<String> pool = List.of("--kafka", kafka.bootstrapServers(), "--redis", redis.uri());
      String enginePort = port();
      String gatewayPort = port();
      try (var router =
              start(
                  pool,
                  "router",
                  "--port=" + port(),
                  "--models=%s=16384,%s=4096".formatted(PoolPlan.MODEL, ABSENT_MODEL));
          var engine =
              start(
                  List.of(),
                  "simulator",
                  "--profile=h100",
                  "--model=" + PoolPlan.MODEL,
                  "--port=" + enginePort);
          var worker =
              start(
                  pool,
                  "worker",
                  "--id=measured",
                  "--port=0",
                  "--engine-url=http://127.0.0.1:" + enginePort);
          var gateway =
              start(
                  pool,
                  "gateway",
                  "--access-log=false",
                  "--port=" + gatewayPort,
                  "--files=folder:" + folder,
                  "--batch-max-lines=" + lines)) {
        GatewayMemory measured = new GatewayMemory(gateway, Integer.parseInt(gatewayPort));
        measured.print("started", "");
        measured.batch(lines, folder);
        measured.clients(clients);
      }
    }
    System.exit(0);
  }

  private static LaunchedService start(List<String> pool, String... own) throws Exception {
    List<String> all = new ArrayList<>(List.of(own));
    all.addAll(pool);
    return LaunchedService.start(" ready", all);
  }

  private static String port() {
    return Integer.toString(LocalPort.settle(0, "a service"));
  }

  private void print(String when, String what) throws IOException {
    Memory memory = gateway.memory();
    System.out.printf(
        Locale.ROOT,
        "%-28s RSS %4d MiB, peak %4d MiB  %s%n",
        when,
        memory.nowMib(),
        memory.peakMib(),
        what);
  }

  private void batch(int lines, Path folder) throws Exception {
    Path form = folder.resolve("form");
    write(form, lines);
    JsonNode file =
        sent(
            to("/v1/files")
                .header("content-type", "multipart/form-data; boundary=edge")
                .POST(BodyPublishers.ofFile(form))
                .build());
    print("input of %.0f MB stored".formatted(file.path("bytes").asLong() / 1e6), "");
    long beganNanos = System.nanoTime();
    JsonNode batch =
        sent(
            to("/v1/batches")
                .header("content-type", "application/json")
                .POST(
                    BodyPublishers.ofString(
                        """
                        {"input_file_id":"%s","endpoint":"/v1/chat/completions",\
                        "completion_window":"24h"}"""
                            .formatted(file.path("id").asText())))
                .build());
    URI its = URI.create(uri + "/v1/batches/" + batch.path("id").asText());
    while (batch.path("completed_at").isNull() && batch.path("failed_at").isNull()) {
      TimeUnit.SECONDS.sleep(LOOK_AGAIN_SECONDS);
      batch = sent(HttpRequest.newBuilder(its).build());
    }
    print(
        "batch of %d lines".formatted(lines),
        String.format(
            Locale.ROOT,
            "%s %s after %.0f s",
            batch.path("status").asText(),
            batch.path("request_counts"),
            (System.nanoTime() - beganNanos) / 1e9));
  }

  private static void write(Path form, int lines) throws IOException {
    try (BufferedWriter writer = Files.newBufferedWriter(form)) {
      writer.write(
          "--edge\r\ncontent-disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n"
              + "--edge\r\ncontent-disposition: form-data; name=\"file\"; filename=\"in.jsonl\"\r\n"
              + "content-type: application/octet-stream\r\n\r\n");
      for (int line = 0; line < lines; line++) {
        writer.write(
            """
            {"custom_id":"%d","method":"POST","url":"/v1/chat/completions","body":{"model":"%s",\
            "max_tokens":8,"messages":[{"role":"user","content":"Summarize document %d. %s"}]}}
            """
                .formatted(line, PoolPlan.MODEL, line, "It has some words. ".repeat(20)));
      }
      writer.write("\r\n--edge--\r\n");
    }
  }

  /** The clients follow a response of a model that no worker serves. */
  private void clients(int count) throws Exception {
    String id =
        sent(to("/v1/responses")
                .header("content-type", "application/json")
                .POST(
                    BodyPublishers.ofString(
                        """
                        {"model":"%s","input":"Hello","background":true}"""
                            .formatted(ABSENT_MODEL)))
                .build())
            .path("id")
            .asText();
    System.out.println("a chat takes " + chats());
    List<Socket> sockets = new ArrayList<>();
    try {
      byte[] request =
          "GET /v1/responses/%s?stream=true HTTP/1.1\r\nhost: localhost\r\n\r\n"
              .formatted(id)
              .getBytes(UTF_8);
      for (int client = 0; client < count; client++) {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress("127.0.0.1", uri.getPort()));
        socket.getOutputStream().write(request);
        sockets.add(socket);
      }
      Map<String, Integer> statuses = new TreeMap<>();
      for (Socket socket : sockets) {
        byte[] head = socket.getInputStream().readNBytes(12);
        statuses.merge(new String(head, UTF_8), 1, Integer::sum);
      }
      print("%d clients that wait".formatted(count), statuses.toString());
      System.out.println("a chat takes " + chats());
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private String chats() throws Exception {
    Samples times = new Samples();
    for (int i = 0; i < CHATS; i++) {
      long sentNanos = System.nanoTime();
      sent(
          to("/v1/chat/completions")
              .header("content-type", "application/json")
              .POST(
                  BodyPublishers.ofString(
                      """
                      {"model":"%s","max_tokens":1,"messages":[{"role":"user","content":"Hi"}]}"""
                          .formatted(PoolPlan.MODEL)))
              .build());
      times.addMillis(System.nanoTime() - sentNanos);
    }
    return String.format(
        Locale.ROOT, "%.1f ms (p50), %.1f ms (p99)", times.median(), times.quantile(0.99));
  }

  private HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create(uri + path));
  }

  private static JsonNode sent(HttpRequest request) throws Exception {
    var response = HTTP.send(request, BodyHandlers.ofByteArray());
    if (response.statusCode() != 200) {
      throw new IllegalStateException(
          "status " + response.statusCode() + ": " + new String(response.body(), UTF_8));
    }
    return Json.mapper().readTree(response.body());
  }
}
