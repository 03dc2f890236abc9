package io.sluice.gateway.responses;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.Failures;
import io.sluice.gateway.http.TenantShares;
import io.sluice.gateway.responses.record.KafkaResponseLog;
import io.sluice.gateway.responses.record.ResponseId;
import io.sluice.gateway.responses.record.ResponseLog;
import io.sluice.gateway.responses.record.ResponseLogException;
import io.sluice.gateway.responses.record.ResponseRecord;
import io.sluice.gateway.responses.record.StoredResponse;
import jakarta.inject.Singleton;
import java.util.Optional;

/** The records of responses, as callers may see them. Thread-safe; methods block a bounded time. */
@Singleton
final class StoredResponses {
  /** A tenant gets half of the log's readings, so that its unknown ids do not delay others. */
  private final ReadPlaces places = new ReadPlaces(KafkaResponseLog.READS_AT_A_TIME);

  private final ResponseLog log;

  StoredResponses(ResponseLog log) {
    this.log = log;
  }

  /**
   * What became of a response that was to be created.
   *
   * @param response empty if it was deleted
   */
  record Known(Optional<StoredResponse> response) {}

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
   * @throws ApiException if there is none, also if another tenant has it, or if too many are sought
   */
  StoredResponse find(String responseId, Caller caller) throws InterruptedException {
    String requestId = ResponseId.requestId(responseId).orElseThrow(() -> notFound(responseId));
    return ofRequest(requestId, caller).orElseThrow(() -> notFound(responseId));
  }

  /**
   * Finds a caller's response by the id of its request.
   *
   * @throws ApiException if it cannot be found out, or if too many are sought
   */
  Optional<StoredResponse> ofRequest(String requestId, Caller caller) throws InterruptedException {
    try {
      return sought(requestId, caller.tenant())
          .filter(stored -> stored.tenant().equals(caller.tenant()));
    } catch (ResponseLogException e) {
      throw failed(e, ResponseId.of(requestId));
    }
  }

  /**
   * Finds a caller's response that was to be created.
   *
   * @return empty if it is neither stored nor deleted, so that it may still come
   * @throws ApiException if it cannot be found out, or if too many are sought
   */
  Optional<Known> known(String requestId, Caller caller) throws InterruptedException {
    Optional<StoredResponse> found = ofRequest(requestId, caller);
    return found.isPresent() || isDeleted(requestId, caller)
        ? Optional.of(new Known(found))
        : Optional.empty();
  }

  private boolean isDeleted(String requestId, Caller caller) throws InterruptedException {
    try (TenantShares.Share _ = places.take(caller.tenant())) {
      return log.isDeleted(requestId);
    } catch (ResponseLogException e) {
      throw failed(e, ResponseId.of(requestId));
    }
  }

  private Optional<StoredResponse> sought(String requestId, String tenant)
      throws InterruptedException {
    if (log.remembers(requestId)) {
      return log.find(requestId);
    }
    try (TenantShares.Share _ = places.take(tenant)) {
      return log.find(requestId);
    }
  }

  private static ApiException notFound(String responseId) {
    return new ApiException(
        ErrorKind.REQUEST_NOT_FOUND, "there is no response '" + responseId + "'");
  }

  private static ApiException failed(ResponseLogException e, String id) {
    String reason = String.valueOf(e.getMessage());
    return e.kind().isUnreachable()
        ? new ApiException(Failures.unreachable(Optional.of(id), reason))
        : new ApiException(e.kind(), reason);
  }
}
