package io.sluice.gateway.attach;

import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Head;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.attach.LogQuery.Live;
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
import java.util.concurrent.ThreadLocalRandom;

/** {@code /v1/requests/ID/log}: the answer to a request, by the Durable Streams protocol. */
@Tag(name = "Requests")
@NeedsApiKey
@ApiErrors
@Controller(value = "/v1/requests/{id}/log", produces = MediaType.ALL)
@ExecuteOn(TaskExecutors.BLOCKING)
final class LogController {
  private static final String CURSOR = "stream-cursor";

  private final Readers readers;
  private final GatewayConfig config;
  private final StreamCursors cursors;
  private final Clock clock;

  LogController(Readers readers, GatewayConfig config, Clock clock) {
    this.readers = readers;
    this.config = config;
    this.clock = clock;
    this.cursors = new StreamCursors(clock, () -> ThreadLocalRandom.current().nextLong());
  }

  /**
   * Tells how far the answer to a request reaches.
   *
   * @param id the id of the request
   */
  @Head
  @ApiResponse(responseCode = "200", ref = "LogHead")
  @ReadErrors
  HttpResponse<?> headRequestLog(HttpRequest<?> http, String id) throws InterruptedException {
    try (AnswerReader reader = open(http, id, Optional.empty())) {
      reader.find(Duration.ZERO);
      return LogHead.metadata(reader.skipped());
    } catch (UnreadableException e) {
      throw Problems.of(e, id, LogQuery.OFFSET, clock.instant());
    }
  }

  /**
   * Reads the answer to a request as messages, by the Durable Streams protocol.
   *
   * @param id the id of the request
   */
  @Get(headRoute = false)
  @Parameter(name = "offset", in = ParameterIn.QUERY, ref = "LogOffset")
  @Parameter(name = "live", in = ParameterIn.QUERY, ref = "LogLive")
  @Parameter(name = "cursor", in = ParameterIn.QUERY, ref = "LogCursor")
  @Parameter(name = "if-none-match", in = ParameterIn.HEADER, ref = "IfNoneMatch")
  @ApiResponse(responseCode = "200", ref = "Log")
  @ApiResponse(responseCode = "204", ref = "LogNothingNew")
  @ApiResponse(responseCode = "304", ref = "LogNotModified")
  @ReadErrors
  HttpResponse<?> readRequestLog(HttpRequest<?> http, String id) throws InterruptedException {
    LogQuery query = LogQuery.of(http.getParameters());
    AnswerReader reader = open(http, id, query.after());
    Disconnect disconnect = Disconnect.watch(http, reader::close);
    boolean isHandedOver = false;
    try {
      reader.find(query.live() == Live.NO ? Duration.ZERO : config.keepAlive());
      Batch first = query.isFromNow() ? reader.skipped() : reader.stored();
      if (query.live() == Live.SSE) {
        isHandedOver = true;
        return events(reader, first, query, disconnect);
      }
      return query.live() == Live.LONG_POLL
          ? polled(reader, first, query)
          : caughtUp(first, query, http);
    } catch (UnreadableException e) {
      throw Problems.of(e, id, LogQuery.OFFSET, clock.instant());
    } finally {
      if (!isHandedOver) {
        disconnect.close();
        reader.close();
      }
    }
  }

  private AnswerReader open(HttpRequest<?> http, String id, Optional<Position> after) {
    return readers.open(id, Caller.of(http), new LogMessages(), after);
  }

  private static HttpResponse<?> caughtUp(Batch batch, LogQuery query, HttpRequest<?> http) {
    return query.isFromNow() ? LogHead.fresh(batch) : LogHead.stored(query, batch, known(http));
  }

  private HttpResponse<?> polled(AnswerReader reader, Batch stored, LogQuery query)
      throws InterruptedException, UnreadableException {
    boolean mustWait = stored.isEmpty() && !stored.isClosed();
    Batch batch = mustWait ? reader.awaited(config.keepAlive()) : stored;
    MutableHttpResponse<byte[]> response;
    if (batch.isEmpty()) {
      response = LogHead.nothing(batch);
    } else {
      response =
          query.isFromNow() ? LogHead.fresh(batch) : LogHead.stored(query, batch, Optional.empty());
    }
    return response.header(CURSOR, cursors.after(query.cursor()));
  }

  private HttpResponse<?> events(
      AnswerReader reader, Batch first, LogQuery query, Disconnect disconnect) {
    MutableHttpResponse<?> head = HttpResponse.ok();
    HttpResponse<?> response =
        EventStream.respond(
            head,
            events -> {
              try (disconnect;
                  reader) {
                new LogEvents(
                        reader, events, config.keepAlive(), () -> cursors.after(query.cursor()))
                    .write(first);
              }
            });
    // By the protocol, the type has no parameters.
    head.contentType(MediaType.TEXT_EVENT_STREAM_TYPE);
    return response;
  }

  private static Optional<String> known(HttpRequest<?> http) {
    return Optional.ofNullable(http.getHeaders().get(HttpHeaders.IF_NONE_MATCH));
  }
}
