package io.sluice.gateway.attach;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.gateway.http.Disconnect;
import io.sluice.gateway.http.EventStream;
import io.sluice.gateway.openapi.ApiErrors;
import io.sluice.gateway.openapi.NeedsApiKey;
import io.sluice.gateway.openapi.ReadErrors;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/**
 * {@code /v1/requests/ID/stream}: the answer to a request as the events of the chat stream, from
 * its beginning or after the last event that the client has.
 */
@Tag(name = "Requests")
@NeedsApiKey
@ApiErrors
@Controller
@ExecuteOn(TaskExecutors.BLOCKING)
final class StreamController {
  private static final String LAST_EVENT_ID = "last-event-id";

  /** For programs that cannot set the header. */
  private static final String LAST_EVENT_ID_PARAMETER = "last_event_id";

  /** Then the client connects again; no answer of a client that waits takes so long. */
  private static final Duration LONGEST = Duration.ofHours(4);

  private static final String INCLUDE_USAGE = "include_usage";

  private final Readers readers;
  private final GatewayConfig config;
  private final Clock clock;

  StreamController(Readers readers, GatewayConfig config, Clock clock) {
    this.readers = readers;
    this.config = config;
    this.clock = clock;
  }

  /**
   * Streams the answer to a request again, from its beginning or after an event.
   *
   * @param id the id of the request, from the header {@code x-request-id} of its response
   */
  // Any accept: a browser sends text/event-stream, and errors are JSON.
  @Get(value = "/v1/requests/{id}/stream", produces = MediaType.ALL, headRoute = false)
  @Parameter(name = "last_event_id", in = ParameterIn.QUERY, ref = "LastEventIdParameter")
  @Parameter(name = "include_usage", in = ParameterIn.QUERY, ref = "IncludeUsage")
  @Parameter(name = "last-event-id", in = ParameterIn.HEADER, ref = "LastEventId")
  @ApiResponse(responseCode = "200", ref = "RequestStream")
  @ApiResponse(responseCode = "204", ref = "StreamEnded")
  @ReadErrors
  HttpResponse<?> streamRequest(HttpRequest<?> http, String id) throws InterruptedException {
    boolean isUsageWanted =
        http.getParameters().get(INCLUDE_USAGE, Boolean.class).orElse(Boolean.FALSE);
    AnswerReader reader =
        readers.open(id, Caller.of(http), new ChunkEvents(isUsageWanted), lastEventId(http));
    Disconnect disconnect = Disconnect.watch(http, reader::close);
    boolean isHandedOver = false;
    try {
      reader.find(config.keepAlive());
      Optional<Item> first = reader.next(config.keepAlive());
      if (first.isEmpty() && reader.isEnded()) {
        // A browser then stops to reconnect.
        return HttpResponse.noContent();
      }
      isHandedOver = true;
      MutableHttpResponse<?> head = HttpResponse.ok().header("x-request-id", id);
      return EventStream.respond(
          head,
          events -> {
            try (disconnect;
                reader) {
              new StreamedEvents(reader, events, config.keepAlive(), LONGEST).write(first);
            }
          });
    } catch (UnreadableException e) {
      throw Problems.of(e, id, LAST_EVENT_ID, clock.instant());
    } finally {
      if (!isHandedOver) {
        disconnect.close();
        reader.close();
      }
    }
  }

  private static Optional<Position> lastEventId(HttpRequest<?> http) {
    String header = http.getHeaders().get(LAST_EVENT_ID);
    String text = header == null ? http.getParameters().get(LAST_EVENT_ID_PARAMETER) : header;
    if (text == null || text.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        Position.parse(text)
            .orElseThrow(() -> Problems.invalid(LAST_EVENT_ID, "is not the id of an event")));
  }
}
