package io.sluice.bench.kills;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.gateway.SseBody;
import io.sluice.bench.gateway.SseEvent;
import io.sluice.common.openai.Choice;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A client that asks one gateway for a streamed chat, without a retry. Used once. */
final class StreamedChat {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final int UNDER_WAY = 5;

  private final Gateways gateways;
  private final int gateway;
  private final ObjectNode body;
  private final long bytesPerSecond;
  private final CountDownLatch underWay = new CountDownLatch(UNDER_WAY);
  private final Map<Integer, StringBuilder> texts = new HashMap<>();
  private volatile Optional<String> requestId = Optional.empty();
  private long lastNanos;
  private long longestGapNanos;
  private volatile long bytes;

  /**
   * Prepares a client.
   *
   * @param bytesPerSecond how fast it reads
   */
  StreamedChat(Gateways gateways, int gateway, ObjectNode body, long bytesPerSecond) {
    this.gateways = gateways;
    this.gateway = gateway;
    this.body = body;
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Sends the request and reads the stream to its end. */
  Sighting run() throws InterruptedException {
    try {
      HttpResponse<InputStream> response =
          gateways.post(
              gateway, "/v1/chat/completions", Map.of(), body.toString(), Duration.ofMinutes(2));
      if (response.statusCode() != 200) {
        response.body().close();
        return seen(Sighting.End.STATUS, response.statusCode());
      }
      requestId = response.headers().firstValue("x-request-id");
      return seen(read(response), response.statusCode());
    } catch (IOException e) {
      return seen(Sighting.End.BROKEN, 0);
    } finally {
      while (underWay.getCount() > 0) {
        underWay.countDown();
      }
    }
  }

  private Sighting.End read(HttpResponse<InputStream> response)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    long read = 0;
    boolean isDone = false;
    boolean isError = false;
    try (var events = new SseBody(response.body(), PATIENCE)) {
      for (var event = events.next(); event.isPresent(); event = events.next()) {
        isDone |= event.get().data().equals("[DONE]");
        isError |= !isDone && !take(event.get());
        read += event.get().data().length();
        bytes = read;
        long dueNanos = start + read * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
        TimeUnit.NANOSECONDS.sleep(Math.max(0, dueNanos - System.nanoTime()));
      }
    }
    if (isError) {
      return Sighting.End.ERROR_EVENT;
    }
    return isDone ? Sighting.End.DONE : Sighting.End.SILENT;
  }

  /** Takes a chunk; returns false if it is an error. */
  private boolean take(SseEvent event) throws IOException {
    JsonNode chunk = JSON.readTree(event.data());
    for (Choice choice : Choice.ofChunk(chunk)) {
      String content = choice.text();
      if (!content.isEmpty()) {
        texts.computeIfAbsent(choice.index(), index -> new StringBuilder()).append(content);
        arrived();
      }
    }
    return !chunk.has("error");
  }

  private void arrived() {
    long now = System.nanoTime();
    if (lastNanos != 0) {
      longestGapNanos = Math.max(longestGapNanos, now - lastNanos);
    }
    lastNanos = now;
    underWay.countDown();
  }

  private Sighting seen(Sighting.End end, int status) {
    Map<Integer, String> whole = new HashMap<>();
    texts.forEach((choice, text) -> whole.put(choice, text.toString()));
    return new Sighting(end, status, whole, TimeUnit.NANOSECONDS.toMillis(longestGapNanos));
  }

  /** Waits until the stream has some tokens, or has ended. */
  void awaitUnderWay() throws InterruptedException {
    underWay.await();
  }

  long bytes() {
    return bytes;
  }

  Optional<String> requestId() {
    return requestId;
  }
}
