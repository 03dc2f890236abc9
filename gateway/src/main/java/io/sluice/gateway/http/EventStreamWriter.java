package io.sluice.gateway.http;

import io.micronaut.core.type.Argument;
import io.micronaut.core.type.MutableHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.body.ByteBodyFactory;
import io.micronaut.http.body.CloseableByteBody;
import io.micronaut.http.body.ResponseBodyWriter;
import jakarta.inject.Singleton;
import java.io.OutputStream;

/** Lets the HTTP server send an {@link EventStream}. */
@Singleton
final class EventStreamWriter implements ResponseBodyWriter<EventStream> {
  private final OpenResponses responses;

  EventStreamWriter(OpenResponses responses) {
    this.responses = responses;
  }

  @Override
  public CloseableByteBody writePiece(
      ByteBodyFactory bodyFactory,
      HttpRequest<?> request,
      HttpResponse<?> response,
      Argument<EventStream> type,
      MediaType mediaType,
      EventStream events) {
    return bodyFactory.adapt(events.body(bodyFactory.readBufferFactory(), responses));
  }

  @Override
  public void writeTo(
      Argument<EventStream> type,
      MediaType mediaType,
      EventStream events,
      MutableHeaders headers,
      OutputStream out) {
    throw new UnsupportedOperationException("events are written as they come");
  }
}
