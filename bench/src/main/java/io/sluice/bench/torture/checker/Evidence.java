package io.sluice.bench.torture.checker;

import io.sluice.bench.torture.load.LoadGenerator;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.Repeat;
import io.sluice.bench.torture.load.SdkAnswer;
import io.sluice.bench.torture.log.IndependentFold;
import io.sluice.bench.torture.log.RequestLog;
import java.util.List;
import java.util.Optional;

/**
 * Everything that is known of a request when it is checked.
 *
 * @param reference what an engine answers to the request when nothing disturbs it
 * @param reused later uses of the request's id
 * @param workersKilled how many workers or engines died while they served it
 */
public record Evidence(
    LoadGenerator.Sent sent,
    Readings readings,
    CallerView caller,
    ReferenceAnswers.Answer reference,
    List<Reused> reused,
    int workersKilled,
    DelayAllowance allowance) {
  public Evidence {
    reused = List.copyOf(reused);
  }

  /**
   * What the readers of the log saw.
   *
   * @param followed by the reader that followed the log during the run
   * @param late by a reader that starts after the run
   * @param reattached by a reader that joined in mid-stream, if one did
   */
  public record Readings(
      RequestLog followed, RequestLog late, Optional<IndependentFold> reattached) {}

  /**
   * What the request's caller knows.
   *
   * @param told what the SDK told it; empty if it does not use the SDK
   * @param isUnsent whether it was told that Kafka did not take the request
   */
  public record CallerView(Optional<SdkAnswer> told, boolean isUnsent) {}

  /**
   * A later use of the request's id.
   *
   * @param deadLetters error codes of the dead letters of that record
   * @param atPosition the error sent to the id made of the position of that record
   */
  public record Reused(Repeat repeat, List<String> deadLetters, Optional<String> atPosition) {}

  public PlannedRequest request() {
    return sent.request();
  }

  /** Returns when its sending began. */
  long beganMillis() {
    return sent.beganMillis();
  }

  public RequestLog log() {
    return readings.followed();
  }

  /** Returns the records on the request's own reply topic. */
  public RequestLog.OnTopic own() {
    return log().at(request().replyTopic());
  }

  /** Returns the records on the usual reply topic. */
  public RequestLog.OnTopic atUsualTopic() {
    return log().at(PlannedRequest.REPLIES);
  }
}
