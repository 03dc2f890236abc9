package io.sluice.bench.failover;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.gateway.ClientText;
import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.gateway.PersistentReader;
import io.sluice.bench.gateway.SseBody;
import io.sluice.bench.gateway.StreamCursor;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A client behind a load balancer: it sends its chat to the other gateway if one is away, and reads
 * its answer on at the other gateway if its stream breaks. Used once.
 */
final class Client {
  /** Longer than any pause of a pool that works. */
  static final Duration PATIENCE = Duration.ofSeconds(90);

  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final int TRIES = 5;
  private static final int MID_STREAM = 20;
  private static final int OK = 200;
  private static final int UNAVAILABLE = 503;

  private final Gateways gateways;
  private final ObjectNode body;
  private final CountDownLatch midStream = new CountDownLatch(MID_STREAM);
  private final List<Long> arrivals = new ArrayList<>();
  private volatile Optional<String> requestId = Optional.empty();
  private String text = "";
  private int gateway;
  private int known;
  private int lost;
  private boolean mayAskAgain;

  /**
   * Prepares a client.
   *
   * @param gateway which one it asks first
   */
  Client(Gateways gateways, int gateway, ObjectNode body) {
    this.gateways = gateways;
    this.gateway = gateway;
    this.body = body;
  }

  /** Sends the request and reads the answer to its end. */
  ClientAnswer run() throws InterruptedException {
    long sent = System.nanoTime();
    Optional<String> problem = ask();
    for (int tried = 1; mayAskAgain && problem.isPresent() && tried < TRIES; tried++) {
      lost++;
      gateway = (gateway + 1) % gateways.count();
      // A load balancer knows another gateway at once.
      Thread.sleep(tried < gateways.count() ? Duration.ZERO : PAUSE);
      problem = ask();
    }
    return new ClientAnswer(body, sent, arrivals, text, problem, lost);
  }

  /** Asks one gateway; returns what went wrong. */
  private Optional<String> ask() throws InterruptedException {
    HttpResponse<InputStream> response;
    try {
      response =
          gateways.post(gateway, "/v1/chat/completions", Map.of(), body.toString(), PATIENCE);
      mayAskAgain = response.statusCode() == UNAVAILABLE;
      if (response.statusCode() != OK) {
        response.body().close();
        return Optional.of("status " + response.statusCode());
      }
    } catch (IOException e) {
      mayAskAgain = true;
      return Optional.of(e.toString());
    }
    requestId = response.headers().firstValue("x-request-id");
    try {
      return read(response);
    } catch (IOException e) {
      lost++;
      return requestId.isEmpty() ? Optional.of(e.toString()) : readOn(requestId.get());
    }
  }

  private Optional<String> read(HttpResponse<InputStream> response) throws IOException {
    ClientText soFar = new ClientText();
    try (var events = new SseBody(response.body(), PATIENCE)) {
      for (var event = events.next(); event.isPresent(); event = events.next()) {
        if (event.get().data().equals("[DONE]")) {
          return Optional.empty();
        }
        JsonNode chunk = Json.mapper().readTree(event.get().data());
        if (chunk.has("error")) {
          return Optional.of(chunk.path("error").toString());
        }
        soFar.chunk(chunk);
        arrived(soFar.text());
      }
    }
    return Optional.of("the stream ended without an end or an error");
  }

  /** The events of a chat's own stream have no ids, so the answer is read from its beginning. */
  private Optional<String> readOn(String id) throws InterruptedException {
    var cursor = new StreamCursor(id, this::arrived);
    var reader = new PersistentReader(gateways, cursor, (gateway + 1) % gateways.count());
    boolean isOver = reader.read(PATIENCE);
    lost += reader.breaks();
    if (!isOver) {
      return Optional.of("no end at another gateway");
    }
    return cursor.text().error().or(() -> reader.problems().stream().findFirst());
  }

  /** Takes the text so far; only text that the client did not have yet counts as a token. */
  private void arrived(String soFar) {
    text = soFar;
    if (soFar.length() > known) {
      known = soFar.length();
      arrivals.add(System.nanoTime());
      midStream.countDown();
    }
  }

  /**
   * Waits until the stream has some tokens.
   *
   * @throws IOException if it has not in time
   */
  void awaitMidStream() throws IOException, InterruptedException {
    if (!midStream.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new IOException(
          "a stream had no %d tokens after %d s".formatted(MID_STREAM, PATIENCE.toSeconds()));
    }
  }

  /** Returns the id of its request; empty until the response begins. */
  Optional<String> requestId() {
    return requestId;
  }
}
