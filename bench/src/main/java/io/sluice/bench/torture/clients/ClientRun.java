package io.sluice.bench.torture.clients;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.gateway.AnswerCursor;
import io.sluice.bench.gateway.ClientText;
import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.gateway.PersistentReader;
import io.sluice.bench.gateway.ResponseCursor;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One HTTP client: sends its request, and reads the answer at whichever gateway there is. */
final class ClientRun {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** A gateway may be frozen for 15 s; only its own client knows the id of a chat. */
  private static final Duration HEAD_WITHIN = Duration.ofSeconds(40);

  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final String RESPONSE_PREFIX = "resp_";

  private final PlannedClient plan;
  private final Gateways gateways;
  private final Duration timeout;
  private final List<String> problems = new ArrayList<>();
  private final Chat chat = new Chat();
  private Optional<String> requestId = Optional.empty();
  private @Nullable AnswerCursor cursor;
  private long beganMillis;
  private int gateway;
  private int breaks;
  private int retries;

  /**
   * Prepares a client.
   *
   * @param timeout the deadline of its request
   */
  ClientRun(PlannedClient plan, Gateways gateways, Duration timeout) {
    this.plan = plan;
    this.gateways = gateways;
    this.timeout = timeout;
    this.gateway = plan.number() % gateways.count();
  }

  /** Returns when it has read its answer, or the time is over. */
  ClientSession run(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (requestId.isEmpty() && System.nanoTime() - end < 0) {
      if (!send()) {
        retries++;
        gateway = (gateway + 1) % gateways.count();
        Thread.sleep(PAUSE);
      }
    }
    if (requestId.isPresent() && !chat.isOver()) {
      read(requestId.get(), Duration.ofNanos(end - System.nanoTime()));
    }
    return session();
  }

  /** Sends the request to one gateway; returns whether it told the request's id. */
  private boolean send() throws InterruptedException {
    beganMillis = System.currentTimeMillis();
    try {
      HttpResponse<InputStream> response =
          gateways.post(
              gateway,
              plan.endpoint(),
              Map.of("x-sluice-timeout-ms", Long.toString(timeout.toMillis())),
              plan.body(),
              HEAD_WITHIN);
      if (response.statusCode() != 200) {
        refused(response);
      } else if (plan.kind() == ClientKind.RESPONSE) {
        created(response);
      } else if (plan.kind().isBackground()) {
        try (InputStream body = response.body()) {
          identified(JSON.readTree(body).path("id").asText());
        }
      } else {
        requestId = response.headers().firstValue("x-request-id");
        chat.read(response);
        problems.addAll(chat.problems());
      }
    } catch (JsonProcessingException | RuntimeException e) {
      problems.add("the answer to its request cannot be read: " + e);
    } catch (IOException e) {
      breaks++;
    }
    return requestId.isPresent();
  }

  private void created(HttpResponse<InputStream> response) throws IOException {
    ResponseCursor events = ResponseCursor.created();
    try {
      events.read(response);
    } finally {
      if (events.id().isPresent()) {
        cursor = events;
        identified(events.id().get());
      }
    }
  }

  private void identified(String responseId) {
    requestId = Optional.of(responseId.substring(RESPONSE_PREFIX.length()));
  }

  private void refused(HttpResponse<InputStream> response) throws IOException {
    try (InputStream body = response.body()) {
      String why = new String(body.readAllBytes(), StandardCharsets.UTF_8);
      if (response.statusCode() != 503) {
        problems.add("status %d: %s".formatted(response.statusCode(), why));
      }
    }
  }

  private void read(String id, Duration limit) throws InterruptedException {
    AnswerCursor its = cursor == null ? plan.kind().cursor(id) : cursor;
    cursor = its;
    var reader = new PersistentReader(gateways, its, (gateway + 1) % gateways.count());
    reader.read(limit);
    breaks += reader.breaks();
    problems.addAll(reader.problems());
    boolean isRestarted = its.items().stream().anyMatch(item -> item.contains("\nrestarted\n"));
    if (!isRestarted && !its.text().text().startsWith(chat.text().text())) {
      problems.add("the chat's text is not the beginning of the answer: " + chat.text().text());
    }
  }

  private ClientSession session() {
    ClientText text = cursor == null ? chat.text() : cursor.text();
    return new ClientSession(
        plan,
        requestId,
        beganMillis,
        cursor == null ? List.of() : cursor.items(),
        text.text(),
        text.error(),
        cursor == null ? chat.isOver() : cursor.isOver(),
        breaks,
        retries,
        problems);
  }
}
