package io.sluice.bench.torture.checker;

import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.Repeat;
import io.sluice.bench.torture.load.SdkAnswer;
import io.sluice.bench.torture.log.Reading;
import io.sluice.bench.torture.log.RequestLog;
import java.util.List;
import java.util.Optional;

/**
 * What is known of a request.
 *
 * @param beganMillis when its sending began
 * @param log what the reader that followed saw
 * @param isUnsent whether its caller was told that Kafka did not take it
 * @param late what a reader sees afterwards
 * @param workersKilled how many workers died as they served it
 */
public record Evidence(
    PlannedRequest request,
    long beganMillis,
    RequestLog log,
    Reference.Answer reference,
    Optional<SdkAnswer> told,
    Optional<Reading> reattached,
    boolean isUnsent,
    RequestLog late,
    List<Reused> reused,
    int workersKilled,
    Allowance allowance) {

  /**
   * Its id, used again.
   *
   * @param letters error codes of the dead letters of that record
   * @param apart what was replied to that record by its place instead of by its id
   */
  public record Reused(Repeat repeat, List<String> letters, Optional<String> apart) {}

  /** What is at the request's own reply topic. */
  public RequestLog.At own() {
    return log.at(request.replyTopic());
  }

  /** What is where answers usually are. */
  public RequestLog.At home() {
    return log.at(PlannedRequest.REPLIES);
  }
}
