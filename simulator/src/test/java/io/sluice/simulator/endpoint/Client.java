package io.sluice.simulator.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.simulator.Patience;
import io.sluice.simulator.SimulatedEngine;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sends requests to a simulated engine: with an ordinary client or byte by byte. */
final class Client {

  static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final SimulatedEngine engine;

  Client(SimulatedEngine engine) {
    this.engine = engine;
  }

  HttpResponse<String> get(String path) {
    return send(HttpRequest.newBuilder(uri(path)).GET());
  }

  HttpResponse<String> post(String path, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(path))
            .timeout(Patience.LONGEST)
            .header("content-type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send(request);
  }

  HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return http.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  URI uri(String path) {
    return engine.uri().resolve(path);
  }

  JsonNode json(String path, String body, String... headers) {
    return parse(post(path, body, headers).body());
  }

  static JsonNode parse(String json) {
    try {
      return JSON.readTree(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the JSON texts of all frames, without the end marker. */
  static List<String> frames(String stream) {
    List<String> frames = new ArrayList<>();
    for (String event : stream.split("\n\n")) {
      if (event.startsWith("data: ") && !event.equals("data: [DONE]")) {
        frames.add(event.substring(6));
      }
    }
    return frames;
  }

  static String text(List<String> frames, int choice) {
    StringBuilder text = new StringBuilder();
    for (String frame : frames) {
      for (JsonNode one : parse(frame).path("choices")) {
        if (one.path("index").asInt() == choice) {
          text.append(one.path("delta").path("content").asText(""));
          text.append(one.path("text").asText(""));
        }
      }
    }
    return text.toString();
  }

  double metric(String series) {
    Matcher matcher =
        Pattern.compile("^" + Pattern.quote(series) + "(\\{[^}]*\\})? (\\S+)$", Pattern.MULTILINE)
            .matcher(get("/metrics").body());
    double sum = 0;
    while (matcher.find()) {
      sum += Double.parseDouble(matcher.group(2));
    }
    return sum;
  }

  /** Opens a raw connection and sends a POST. */
  Socket open(String path, String body) throws IOException {
    Socket socket = new Socket("127.0.0.1", engine.port());
    socket.setSoTimeout((int) Patience.LONGEST.toMillis());
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    String head =
        "POST %s HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
            .formatted(path, bytes.length);
    socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return socket;
  }

  /** Reads until a text appears, or to the end of the stream if it never does. */
  static String readUntil(Socket socket, String end) throws IOException {
    StringBuilder read = new StringBuilder();
    InputStream in = socket.getInputStream();
    byte[] buffer = new byte[4096];
    while (read.indexOf(end) < 0) {
      int count = in.read(buffer);
      if (count < 0) {
        break;
      }
      read.append(new String(buffer, 0, count, StandardCharsets.ISO_8859_1));
    }
    return read.toString();
  }
}
