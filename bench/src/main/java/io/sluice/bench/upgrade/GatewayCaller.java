package io.sluice.bench.upgrade;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.gateway.SseBody;
import io.sluice.common.openai.Choice;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Streams chats from two gateways as a client behind a load balancer does: it goes to the other one
 * if one refuses the connection or answers 503. It does not repeat a stream that has begun.
 * Thread-safe.
 */
final class GatewayCaller {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int TRIES = 4;
  private static final int OK = 200;
  private static final int UNAVAILABLE = 503;

  private final Gateways gateways;

  GatewayCaller(Gateways gateways) {
    this.gateways = gateways;
  }

  /** Sends one request and reads its answer to the end. */
  Reply call(int number, int step, ObjectNode body) throws InterruptedException {
    long sent = System.nanoTime();
    String problem = "";
    for (int tried = 0; tried < TRIES; tried++) {
      try {
        HttpResponse<InputStream> response =
            gateways.post(
                (number + tried) % gateways.count(),
                "/v1/chat/completions",
                Map.of(),
                body.toString(),
                PATIENCE);
        if (response.statusCode() == OK) {
          return read(response, sent, step, body, tried);
        }
        problem = "status " + response.statusCode();
        response.body().close();
        if (response.statusCode() != UNAVAILABLE) {
          break;
        }
      } catch (IOException e) {
        problem = String.valueOf(e);
      }
    }
    return new Reply(
        step, Reply.Way.GATEWAY, body, OptionalDouble.empty(), "", Optional.of(problem), TRIES);
  }

  private static Reply read(
      HttpResponse<InputStream> response, long sent, int step, ObjectNode body, int sentAgain) {
    StringBuilder text = new StringBuilder();
    OptionalDouble first = OptionalDouble.empty();
    Optional<String> error = Optional.of("the stream ended without an end");
    try (var events = new SseBody(response.body(), PATIENCE)) {
      for (var event = events.next(); event.isPresent(); event = events.next()) {
        if (event.get().data().equals("[DONE]")) {
          error = Optional.empty();
          break;
        }
        JsonNode chunk = JSON.readTree(event.get().data());
        if (chunk.has("error")) {
          error = Optional.of(chunk.path("error").toString());
          break;
        }
        String more = Choice.firstOfChunk(chunk).text();
        if (first.isEmpty() && !more.isEmpty()) {
          first = OptionalDouble.of((System.nanoTime() - sent) / 1e6);
        }
        text.append(more);
      }
    } catch (IOException e) {
      error = Optional.of(String.valueOf(e));
    }
    return new Reply(step, Reply.Way.GATEWAY, body, first, text.toString(), error, sentAgain);
  }
}
