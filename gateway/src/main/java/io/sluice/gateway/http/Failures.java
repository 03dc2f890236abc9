package io.sluice.gateway.http;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.producer.reply.ReplyEvent;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What callers are told when the gateway cannot reach Kafka. Addresses of brokers and names of
 * exceptions are for the log only.
 */
public final class Failures {
  /** The gateway has ended an answer, or refuses to begin one, because it stops. */
  public static final String STOPPED = "this gateway stopped; the pool continues with the request";

  /** The gateway cannot read or write. */
  public static final String UNREACHABLE = "the pool's log cannot be reached; try again";

  private static final Logger log = LoggerFactory.getLogger(Failures.class);

  private Failures() {}

  /**
   * Returns the error for a caller, and logs what is behind it.
   *
   * @param requestId the pool's id of the request, if there is one
   * @param reason what is behind it
   */
  public static ApiError unreachable(Optional<String> requestId, String reason) {
    log.warn("event=log_unreachable request={} reason=\"{}\"", requestId.orElse("-"), reason);
    ApiError error = ApiError.of(ErrorKind.UNAVAILABLE, UNREACHABLE);
    return requestId.map(error::about).orElse(error);
  }

  /** Returns the end of an answer as callers may see it. */
  public static ReplyEvent.Failed shown(ReplyEvent.Failed failed) {
    boolean isDetailed =
        failed.isLocal() && failed.kind().isUnreachable() && !failed.message().equals(STOPPED);
    if (!isDetailed) {
      return failed;
    }
    log.warn("event=answer_broken reason=\"{}\"", failed.message());
    return new ReplyEvent.Failed(
        failed.kind(), UNREACHABLE, failed.retryAfterMillis(), failed.json(), true);
  }
}
