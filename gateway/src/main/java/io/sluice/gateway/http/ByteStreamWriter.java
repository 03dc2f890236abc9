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
import java.util.OptionalLong;

/** Lets the HTTP server send a {@link ByteStream}. */
@Singleton
final class ByteStreamWriter implements ResponseBodyWriter<ByteStream> {

  @Override
  public CloseableByteBody writePiece(
      ByteBodyFactory bodyFactory,
      HttpRequest<?> request,
      HttpResponse<?> response,
      Argument<ByteStream> type,
      MediaType mediaType,
      ByteStream content) {
    return bodyFactory.adapt(
        content.body(bodyFactory.readBufferFactory()), OptionalLong.of(content.length()));
  }

  @Override
  public void writeTo(
      Argument<ByteStream> type,
      MediaType mediaType,
      ByteStream content,
      MutableHeaders headers,
      OutputStream out) {
    throw new UnsupportedOperationException("content is written as the client reads it");
  }
}
