package io.sluice.producer.batch;

import java.util.Locale;

/** The errors of lines without a response. */
public enum LineErrorCode {
  LINE_TOO_LONG,
  INVALID_JSON,
  MISSING_CUSTOM_ID,
  CUSTOM_ID_TOO_LONG,
  /** An earlier line has the same custom_id. */
  DUPLICATE_CUSTOM_ID,
  INVALID_METHOD,
  INVALID_URL,
  MISSING_BODY,
  /** The batch was cancelled before the request was answered. */
  BATCH_CANCELLED,
  /** The request was not answered within the time of its batch. */
  BATCH_EXPIRED,
  /** The gateway could not prepare the request, or could not use its answer. */
  INTERNAL_ERROR;

  /** Returns the stable name that results contain, such as {@code invalid_json}. */
  public String code() {
    return name().toLowerCase(Locale.ROOT);
  }
}
