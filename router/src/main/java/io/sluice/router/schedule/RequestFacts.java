package io.sluice.router.schedule;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.router.policy.PrefixChain;
import io.sluice.router.policy.RequestProfile;
import java.util.Optional;
import java.util.Set;

/**
 * What is fixed of a request once it was read.
 *
 * @param requestPartition the partition it came on, to which its outcomes go
 * @param source where its record stands, to tell a redelivery from a repeat
 * @param appendTimeMillis when it was appended, by the broker's clock
 * @param deadlineEpochMillis when nobody wants the answer any more
 * @param fresh whether nobody can have worked on it before this task began to read
 */
public record RequestFacts(
    String requestId,
    int requestPartition,
    Source source,
    ReplyAddress replyTo,
    Endpoint endpoint,
    String model,
    String lane,
    long promptTokens,
    long outputTokens,
    Optional<String> tier,
    Priority priority,
    String tenant,
    long appendTimeMillis,
    long deadlineEpochMillis,
    boolean fresh) {

  /** Where a record stands in the log. */
  public record Source(String topic, int partition, long offset) {}

  RequestProfile profile() {
    return new RequestProfile(
        model,
        lane,
        promptTokens,
        outputTokens,
        tier.stream().toList(),
        priority,
        Set.of(),
        Optional.empty(),
        PrefixChain.NONE);
  }

  long contextTokens() {
    return promptTokens + outputTokens;
  }

  RequestFacts until(Control.Extend extend) {
    return amended(priority, extend.deadlineEpochMillis());
  }

  RequestFacts as(Control.Reprioritise change) {
    return amended(change.priority(), deadlineEpochMillis);
  }

  /** The same, now that somebody may have worked on it. */
  RequestFacts seen() {
    return amended(priority, deadlineEpochMillis, false);
  }

  private RequestFacts amended(Priority newPriority, long newDeadlineEpochMillis) {
    return amended(newPriority, newDeadlineEpochMillis, fresh);
  }

  private RequestFacts amended(
      Priority newPriority, long newDeadlineEpochMillis, boolean stillFresh) {
    return new RequestFacts(
        requestId,
        requestPartition,
        source,
        replyTo,
        endpoint,
        model,
        lane,
        promptTokens,
        outputTokens,
        tier,
        newPriority,
        tenant,
        appendTimeMillis,
        newDeadlineEpochMillis,
        stillFresh);
  }
}
