package io.sluice.router.stream;

import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * The headers of dead letters about records that a router could not process. Such a dead letter
 * contains none of the record's own bytes, because they may be the cause.
 */
final class UnprocessedHeaders {
  private static final int MESSAGE_CHARACTERS = 300;

  private UnprocessedHeaders() {}

  /**
   * The headers that all of them have.
   *
   * @param id of the request, or the place of a record that is not a request
   */
  static Headers headers(String id, String message) {
    Headers headers = new RecordHeaders();
    HeaderText.put(headers, HeaderNames.VERSION, HeaderNames.VERSION_1);
    HeaderText.put(headers, HeaderNames.REQUEST_ID, id);
    HeaderText.put(headers, HeaderNames.ERROR_CODE, HeaderNames.UNPROCESSED);
    HeaderText.put(
        headers,
        HeaderNames.ERROR_MESSAGE,
        message.substring(0, Math.min(message.length(), MESSAGE_CHARACTERS)));
    return headers;
  }
}
