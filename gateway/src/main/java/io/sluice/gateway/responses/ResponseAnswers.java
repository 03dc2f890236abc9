package io.sluice.gateway.responses;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MutableHttpResponse;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.Disconnect;
import io.sluice.gateway.http.EventStream;
import io.sluice.gateway.http.TenantShares;
import io.sluice.gateway.pool.Exchange;
import io.sluice.gateway.pool.Served;
import io.sluice.gateway.responses.event.ResponseEvents;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** Gives the answers to requests for responses, whole or as their events. Thread-safe. */
@Singleton
final class ResponseAnswers {
  private static final int FROM_THE_BEGINNING = -1;

  /** The stream of a request that this gateway sent ends by itself soon after its deadline. */
  private static final Duration LONGEST = Duration.ofDays(365);

  private final Served served;
  private final GatewayConfig config;

  ResponseAnswers(Served served, GatewayConfig config) {
    this.served = served;
    this.config = config;
  }

  /**
   * Gives the answer to a request that is in progress. Blocks until it is there or, for a stream,
   * until its first event or the first keep-alive is due.
   *
   * @param held the memory of the request, which is given back at the latest after the answer
   * @throws ApiException if there is no answer
   */
  HttpResponse<?> give(HttpRequest<?> http, Begun.Answering begun, TenantShares.Share held)
      throws InterruptedException {
    CreatedResponse created = begun.created();
    ResponseEvents made = begun.events();
    Exchange exchange = begun.exchange();
    ReplyStream stream = exchange.stream();
    Disconnect disconnect = Disconnect.watch(http, () -> left(exchange, created, held));
    boolean isHandedOver = false;
    try {
      held.shrinkTo(made.heldBytes());
      if (!created.isStreamed()) {
        HttpResponse<?> response = whole(exchange, made, created);
        exchange.sent();
        return response;
      }
      Optional<ReplyEvent> first =
          created.isBackground() ? exchange.first() : exchange.awaitFirst();
      if (first.isPresent() && first.get() instanceof ReplyEvent.Failed failed) {
        exchange.sent();
        throw new ApiException(ApiError.of(failed).about(created.requestId()));
      }
      exchange.responseBegins();
      isHandedOver = true;
      MutableHttpResponse<?> head = HttpResponse.ok();
      Served.identify(head, created.requestId());
      return EventStream.respond(
          head,
          events -> {
            try (disconnect;
                held) {
              boolean isRead =
                  new StreamedResponse(
                          stream,
                          made,
                          FROM_THE_BEGINNING,
                          events,
                          Optional.of(served),
                          config.keepAlive(),
                          StreamedResponse.Silence.EXPECTED)
                      .write(first, LONGEST);
              if (isRead) {
                exchange.sent();
              } else {
                clientLeft(exchange, created);
              }
            }
          });
    } finally {
      if (!isHandedOver) {
        disconnect.close();
        held.close();
      }
    }
  }

  private MutableHttpResponse<byte[]> whole(
      Exchange exchange, ResponseEvents events, CreatedResponse created)
      throws InterruptedException {
    Optional<ReplyEvent> event = exchange.first();
    while (true) {
      if (event.isPresent() && event.get() instanceof ReplyEvent.Failed failed) {
        throw new ApiException(ApiError.of(failed).about(created.requestId()));
      }
      event.ifPresent(events::next);
      if (event.isPresent() && event.get() instanceof ReplyEvent.Completed completed) {
        MutableHttpResponse<byte[]> response = ResponseBodies.of(events, created.requestId());
        served.describe(response, completed.answer());
        return response;
      }
      event = next(exchange.stream());
    }
  }

  /** The stream itself ends soon after the request's deadline. */
  private Optional<ReplyEvent> next(ReplyStream stream) throws InterruptedException {
    try {
      Optional<ReplyEvent> event = stream.next(config.keepAlive());
      if (event.isEmpty()) {
        throw new ApiException(ErrorKind.UNAVAILABLE, "the answer was closed");
      }
      return event;
    } catch (TimeoutException e) {
      return Optional.empty();
    }
  }

  /** The events of a client that leaves at once are never written. */
  private static void left(Exchange exchange, CreatedResponse created, TenantShares.Share held) {
    held.close();
    clientLeft(exchange, created);
  }

  /** No client asked a background response to stop. Its ticket is settled at its end. */
  private static void clientLeft(Exchange exchange, CreatedResponse created) {
    if (created.isBackground()) {
      exchange.readerLeft();
    } else {
      exchange.clientLeft();
    }
  }
}
