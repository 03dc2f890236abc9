package io.sluice.gateway.responses;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.Disconnect;
import io.sluice.gateway.http.EventStream;
import io.sluice.gateway.http.JsonBody;
import io.sluice.gateway.pool.ClientTry;
import io.sluice.gateway.pool.Exchange;
import io.sluice.gateway.pool.Served;
import io.sluice.gateway.quota.Admission;
import io.sluice.gateway.quota.BodyLimit;
import io.sluice.gateway.quota.Ticket;
import io.sluice.gateway.responses.event.ResponseEvents;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.producer.client.ReplyEvent;
import io.sluice.producer.client.ReplyStream;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** Creates responses. Thread-safe. */
@Singleton
final class Responses {
  private static final int FROM_THE_BEGINNING = -1;

  /** The stream of a request that this gateway sent ends by itself soon after its deadline. */
  private static final Duration LONGEST = Duration.ofDays(365);

  private final Admission admission;
  private final Submission submission;
  private final Beginning beginning;
  private final Conversation conversation;
  private final ResponseReader reader;
  private final Served served;
  private final GatewayConfig config;

  Responses(
      Admission admission,
      Submission submission,
      Beginning beginning,
      Conversation conversation,
      ResponseReader reader,
      Served served,
      GatewayConfig config) {
    this.admission = admission;
    this.submission = submission;
    this.beginning = beginning;
    this.conversation = conversation;
    this.reader = reader;
    this.served = served;
    this.config = config;
  }

  /**
   * Creates a response, unless an earlier try of the client did. Its record is durable before the
   * pool gets its request. Blocks until the response is there; a background response only until the
   * pool has its request, and a stream until its first event or the first keep-alive is due.
   *
   * @throws ApiException if there is no response
   */
  HttpResponse<?> create(HttpRequest<?> http, byte[] body) throws InterruptedException {
    Caller caller = Caller.of(http);
    BodyLimit.read(http, body.length);
    ObjectNode request = JsonBody.parse(body);
    Submission.Prepared prepared =
        submission.prepare(
            request, conversation.before(request, caller), http.getHeaders(), caller);
    Ticket ticket = admission.admit(http, caller, prepared.request());
    return switch (beginning.of(prepared, ClientTry.of(http, caller, body), ticket)) {
      // What is written until the end of the response does not hold its input.
      case Begun.Answering(var created, var exchange) ->
          answer(http, created.withoutInput(), exchange);
      case Begun.Posted(var created) -> identified(ok(new ResponseEvents(created)), created);
      case Begun.Repeated(var created) -> identified(ok(reader.read(created)), created);
    };
  }

  private HttpResponse<?> answer(HttpRequest<?> http, CreatedResponse created, Exchange exchange)
      throws InterruptedException {
    ReplyStream stream = exchange.stream();
    Disconnect disconnect = Disconnect.watch(http, () -> clientLeft(exchange, created));
    boolean isHandedOver = false;
    try {
      if (!created.isStreamed()) {
        HttpResponse<?> response = identified(whole(exchange, created), created);
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
      MutableHttpResponse<?> head = identified(HttpResponse.ok(), created);
      return EventStream.respond(
          head,
          events -> {
            try (disconnect) {
              ResponseEvents made = new ResponseEvents(created);
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
      }
    }
  }

  /** Returns a response as an HTTP response. */
  static MutableHttpResponse<byte[]> ok(ResponseEvents events) {
    return ok(events.response());
  }

  /** Returns an object as an HTTP response. */
  static MutableHttpResponse<byte[]> ok(ObjectNode json) {
    return HttpResponse.ok(Json.bytes(json)).contentType(MediaType.APPLICATION_JSON_TYPE);
  }

  private static <T> MutableHttpResponse<T> identified(
      MutableHttpResponse<T> response, CreatedResponse created) {
    Served.identify(response, created.requestId());
    return response;
  }

  private MutableHttpResponse<byte[]> whole(Exchange exchange, CreatedResponse created)
      throws InterruptedException {
    ResponseEvents events = new ResponseEvents(created);
    Optional<ReplyEvent> event = exchange.first();
    while (true) {
      if (event.isPresent() && event.get() instanceof ReplyEvent.Failed failed) {
        throw new ApiException(ApiError.of(failed).about(created.requestId()));
      }
      event.ifPresent(events::next);
      if (event.isPresent() && event.get() instanceof ReplyEvent.Completed completed) {
        MutableHttpResponse<byte[]> response = ok(events);
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

  /** No client asked a background response to stop. Its ticket is settled at its end. */
  private static void clientLeft(Exchange exchange, CreatedResponse created) {
    if (created.isBackground()) {
      exchange.readerLeft();
    } else {
      exchange.clientLeft();
    }
  }
}
