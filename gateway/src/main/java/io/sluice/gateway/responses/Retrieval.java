package io.sluice.gateway.responses;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MutableHttpResponse;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.EventStream;
import io.sluice.gateway.http.JsonMemory;
import io.sluice.gateway.http.TenantShares;
import io.sluice.gateway.pool.ReaderSlots;
import io.sluice.gateway.pool.Served;
import io.sluice.gateway.responses.event.ResponseEvents;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.gateway.responses.record.StoredResponse;
import io.sluice.producer.reply.ReplyStream;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Gives stored responses, whole or as their events. Thread-safe. */
@Singleton
final class Retrieval {
  /**
   * A stream whose response has begun continues for this long, or until its deadline has passed.
   */
  private static final Duration LONGEST = Duration.ofHours(1);

  /** A reader finds a reply that is stored within this time after it has reached the end. */
  private static final Duration AT_ONCE = Duration.ofMillis(1);

  private final ResponseReader reader;
  private final Replies replies;
  private final ReaderSlots slots;
  private final JsonMemory memory;
  private final Served served;
  private final GatewayConfig config;
  private final Clock clock;

  Retrieval(
      ResponseReader reader,
      Replies replies,
      ReaderSlots slots,
      JsonMemory memory,
      Served served,
      GatewayConfig config,
      Clock clock) {
    this.reader = reader;
    this.replies = replies;
    this.slots = slots;
    this.memory = memory;
    this.served = served;
    this.config = config;
    this.clock = clock;
  }

  /** Returns a response as it is now, and who served it if it is complete. */
  HttpResponse<?> whole(StoredResponse stored) throws InterruptedException {
    Map<String, String> servedBy = new LinkedHashMap<>();
    ResponseEvents events = reader.read(stored, answer -> servedBy.putAll(served.headers(answer)));
    MutableHttpResponse<?> response = ResponseBodies.of(events, stored.requestId());
    servedBy.forEach(response::header);
    return response;
  }

  /**
   * Returns the events of a response up to its end.
   *
   * @param startingAfter the number of the last event that the client has; -1 for none
   * @throws ApiException if there is no such event
   */
  HttpResponse<?> events(HttpRequest<?> request, StoredResponse stored, int startingAfter)
      throws InterruptedException {
    // Before the stream, because an error has a status only then.
    checkPosition(startingAfter, reader.read(stored));
    TenantShares.Share held = memory.take(stored.tenant(), stored.json());
    boolean isHandedOver = false;
    try {
      ResponseEvents events = new ResponseEvents(stored.shown());
      held.shrinkTo(events.heldBytes());
      HttpResponse<?> response =
          follow(request, stored.withoutContent(), events, startingAfter, held);
      isHandedOver = true;
      return response;
    } finally {
      if (!isHandedOver) {
        held.close();
      }
    }
  }

  /** Any number is valid while the response is generated: it may be that of a future event. */
  private static void checkPosition(int startingAfter, ResponseEvents present) {
    if (startingAfter < -1) {
      throw new ApiException(
          ErrorKind.INVALID_REQUEST,
          "starting_after must be the number of an event, or -1 for all, not " + startingAfter,
          "starting_after");
    }
    if (present.isEnded() && startingAfter > present.lastNumber()) {
      throw new ApiException(
          ErrorKind.INVALID_REQUEST,
          "starting_after is %d, but the response has ended with event %d"
              .formatted(startingAfter, present.lastNumber()),
          "starting_after");
    }
  }

  private HttpResponse<?> follow(
      HttpRequest<?> request,
      CreatedResponse created,
      ResponseEvents made,
      int startingAfter,
      TenantShares.Share held) {
    // The events of a client that leaves at once are never written.
    TenantShares.Share slot = slots.take(created.tenant()).until(request);
    TenantShares.Share memoryOfEvents = held.until(request);
    Duration left =
        Duration.between(clock.instant(), created.deadline()).plus(Recovery.REFUSED_WITHIN);
    Duration patience = left.isPositive() ? left : AT_ONCE;
    Duration longest = patience.compareTo(LONGEST) > 0 ? patience : LONGEST;
    return EventStream.respond(
        HttpResponse.ok().header("x-request-id", created.requestId()),
        events -> {
          try (slot;
              memoryOfEvents;
              ReplyStream reply = replies.follow(created.requestId(), created.tenant(), patience)) {
            new StreamedResponse(
                    reply,
                    made,
                    startingAfter,
                    events,
                    Optional.empty(),
                    config.keepAlive(),
                    () -> reader.resume(created))
                .write(Optional.empty(), longest);
          }
        });
  }
}
