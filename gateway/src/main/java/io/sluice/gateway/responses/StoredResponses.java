package io.sluice.gateway.responses;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.Failures;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.gateway.responses.record.ResponseId;
import io.sluice.gateway.responses.record.ResponseLog;
import io.sluice.gateway.responses.record.ResponseLogException;
import io.sluice.gateway.responses.record.ResponseRecord;
import jakarta.inject.Singleton;
import java.util.Optional;

/** The records of responses, as callers may see them. Thread-safe; methods block a bounded time. */
@Singleton
final class StoredResponses {
  private final ResponseLog log;

  StoredResponses(ResponseLog log) {
    this.log = log;
  }

  /** Writes a record; returns when it is durable. */
  void append(ResponseRecord record) {
    try {
      log.append(record);
    } catch (ResponseLogException e) {
      throw failed(e, record.requestId());
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
      throw failed(e, responseId);
    }
  }

  private static ApiException notFound(String responseId) {
    return new ApiException(
        ErrorKind.REQUEST_NOT_FOUND, "there is no response '" + responseId + "'");
  }

  private static ApiException failed(ResponseLogException e, String id) {
    String reason = String.valueOf(e.getMessage());
    return e.kind() == ErrorKind.UNAVAILABLE
        ? new ApiException(Failures.unreachable(Optional.of(id), reason))
        : new ApiException(e.kind(), reason);
  }
}
