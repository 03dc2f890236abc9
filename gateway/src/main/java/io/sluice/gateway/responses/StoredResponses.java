package io.sluice.gateway.responses;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.responses.event.ResponseEvents;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.gateway.responses.record.ResponseId;
import io.sluice.gateway.responses.record.ResponseLog;
import io.sluice.gateway.responses.record.ResponseLogException;
import io.sluice.gateway.responses.record.ResponseRecord;
import io.sluice.producer.client.ReplyEvent;
import jakarta.inject.Singleton;
import java.util.List;

/** The responses that Kafka holds. Thread-safe; methods block for a bounded time. */
@Singleton
final class StoredResponses {
  private final ResponseLog log;
  private final Replies replies;
  private final Recovery recovery;

  StoredResponses(ResponseLog log, Replies replies, Recovery recovery) {
    this.log = log;
    this.replies = replies;
    this.recovery = recovery;
  }

  /** Writes a record; returns when it is durable. */
  void append(ResponseRecord record) {
    try {
      log.append(record);
    } catch (ResponseLogException e) {
      throw failed(e);
    }
  }

  /**
   * Finds a response of a caller.
   *
   * @throws ApiException if there is none, also if another tenant has it
   */
  CreatedResponse find(String responseId, Caller caller) {
    try {
      return ResponseId.requestId(responseId)
          .flatMap(log::find)
          .filter(created -> created.tenant().equals(caller.tenant()))
          .orElseThrow(() -> notFound(responseId));
    } catch (ResponseLogException e) {
      throw failed(e);
    }
  }

  /**
   * Reads what there is of a response. A request that seems not to have been sent is sent again.
   *
   * @throws ApiException if its beginning is no longer in Kafka
   */
  ResponseEvents read(CreatedResponse created) throws InterruptedException {
    List<ReplyEvent> log = replies.read(created.requestId());
    if (log.isEmpty()) {
      recovery.resume(created);
    }
    ResponseEvents events = new ResponseEvents(created);
    var _ = events.begin();
    for (ReplyEvent event : log) {
      if (event instanceof ReplyEvent.Failed failed && failed.isLocal()) {
        throw new ApiException(ApiError.of(failed).about(created.requestId()));
      }
      var _ = events.next(event);
    }
    return events;
  }

  private static ApiException notFound(String responseId) {
    return new ApiException(
        ErrorKind.REQUEST_NOT_FOUND, "there is no response '" + responseId + "'");
  }

  private static ApiException failed(ResponseLogException e) {
    return new ApiException(e.kind(), String.valueOf(e.getMessage()));
  }
}
