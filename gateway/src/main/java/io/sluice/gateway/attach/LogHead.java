package io.sluice.gateway.attach;

import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import java.util.Optional;

/** Responses with a part of a log, and the headers of the Durable Streams protocol. */
final class LogHead {
  private static final String TRUE = "true";

  /** What is stored never changes, so a part of a log can be kept; only at its end it grows. */
  private static final String KEEP = "private, max-age=60, stale-while-revalidate=300";

  private static final String ASK_AGAIN = "private, no-cache";
  private static final String NO_STORE = "no-store";

  private LogHead() {}

  /** Returns a response without a body, which tells how far the log reaches. */
  static MutableHttpResponse<byte[]> metadata(Batch batch) {
    MutableHttpResponse<byte[]> response = HttpResponse.<byte[]>ok();
    return described(response, batch)
        .contentType(MediaType.APPLICATION_JSON_TYPE)
        .header(HttpHeaders.CACHE_CONTROL, NO_STORE);
  }

  /**
   * Returns a response for a reader who waited, or who is at the end, and for whom nothing came.
   */
  static MutableHttpResponse<byte[]> nothing(Batch batch) {
    return described(HttpResponse.<byte[]>noContent(), batch)
        .header(HttpHeaders.CACHE_CONTROL, NO_STORE);
  }

  /** Returns the messages for a reader who wanted only new ones; they are none that can be kept. */
  static MutableHttpResponse<byte[]> fresh(Batch batch) {
    return messages(batch).header(HttpHeaders.CACHE_CONTROL, NO_STORE);
  }

  /**
   * Returns the messages, or only that they have not changed.
   *
   * @param known the header {@code if-none-match}
   */
  static MutableHttpResponse<byte[]> stored(LogQuery query, Batch batch, Optional<String> known) {
    String tag = tag(query, batch);
    boolean isKnown = known.filter(tags -> tags.contains(tag)).isPresent();
    MutableHttpResponse<byte[]> response =
        isKnown
            ? described(HttpResponse.<byte[]>status(HttpStatus.NOT_MODIFIED), batch)
            : messages(batch);
    boolean mayGrow = batch.isUpToDate() && !batch.isClosed();
    return response
        .header(HttpHeaders.ETAG, tag)
        .header(HttpHeaders.CACHE_CONTROL, mayGrow ? ASK_AGAIN : KEEP);
  }

  private static String tag(LogQuery query, Batch batch) {
    String start = query.after().map(Position::text).orElse("-1");
    return "\"" + start + ":" + batch.next().text() + (batch.isClosed() ? ":closed\"" : "\"");
  }

  private static MutableHttpResponse<byte[]> messages(Batch batch) {
    return described(HttpResponse.ok(batch.json().bytes()), batch)
        .contentType(MediaType.APPLICATION_JSON_TYPE);
  }

  private static MutableHttpResponse<byte[]> described(
      MutableHttpResponse<byte[]> response, Batch batch) {
    response.header("stream-next-offset", batch.next().text());
    if (batch.isUpToDate()) {
      response.header("stream-up-to-date", TRUE);
    }
    if (batch.isClosed()) {
      response.header("stream-closed", TRUE);
    }
    return response;
  }
}
