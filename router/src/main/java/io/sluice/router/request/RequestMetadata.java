package io.sluice.router.request;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.protocol.Slack;
import io.sluice.router.classify.Classification;
import io.sluice.router.policy.RequestProfile;
import io.sluice.router.prefix.PrefixChain;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What is fixed of a request once it was read.
 *
 * @param requestPartition the partition it came on, to which its outcomes go
 * @param source where its record stands, to tell a redelivery from a repeat
 * @param classification which tiers may serve it, and what it asks of an engine
 * @param fallbackModel what may serve it instead of its model
 * @param appendTimeMillis when it was appended, by the broker's clock
 * @param deadlineEpochMillis when nobody wants the answer any more
 * @param promptTokens as many as its model is likely to make of it
 * @param estimatedTokens the prompt as it was estimated, before what is known of its model; 0 where
 *     the engine's own count cannot be compared with it
 * @param fresh whether nobody can have worked on it before this task began to read
 */
public record RequestMetadata(
    String requestId,
    int requestPartition,
    Source source,
    ReplyAddress replyTo,
    Endpoint endpoint,
    String model,
    String lane,
    long promptTokens,
    long outputTokens,
    Classification classification,
    Optional<String> fallbackModel,
    Priority priority,
    String tenant,
    long appendTimeMillis,
    long deadlineEpochMillis,
    boolean fresh,
    long estimatedTokens) {

  /** Of a request with empty names. */
  private static final int HEAP_BYTES = 1_200;

  /** How often a name is kept: as a key, in the stored value, in queues. */
  private static final int COPIES = 3;

  /** Where a record stands in the log. */
  public record Source(String topic, int partition, long offset) {}

  /** What an older router did not store is empty. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public RequestMetadata {
    classification = classification == null ? Classification.NONE : classification;
    fallbackModel = fallbackModel == null ? Optional.empty() : fallbackModel;
  }

  public RequestProfile profile() {
    return profile(classification.needs());
  }

  /** As the policy sees it, if the engine has to understand just these of its options. */
  public RequestProfile profile(Collection<String> needs) {
    return new RequestProfile(
        model,
        lane,
        promptTokens,
        outputTokens,
        classification.tiers(),
        priority,
        Set.copyOf(needs),
        classification.text(),
        PrefixChain.NONE);
  }

  public long contextTokens() {
    return promptTokens + outputTokens;
  }

  /**
   * At most so much of a router's heap a request takes while it waits: its stored value, its places
   * in the queues and its timers. Its record is not kept.
   */
  public long heapBytes() {
    Stream<String> names =
        Stream.of(requestId, tenant, model, lane, replyTo.topic(), source.topic());
    long characters =
        Stream.of(
                names,
                fallbackModel.stream(),
                classification.tiers().stream(),
                classification.needs().stream())
            .flatMap(same -> same)
            .mapToLong(String::length)
            .sum();
    return HEAP_BYTES + COPIES * characters;
  }

  /**
   * The same after what is asked of it; a cancel changes none of this.
   *
   * @param longestDeadline after its append time: no deadline is later than records are kept for it
   */
  public RequestMetadata amended(Control control, Duration longestDeadline) {
    return switch (control) {
      case Control.Cancel ignored -> this;
      case Control.Extend extend -> {
        long latest = appendTimeMillis + longestDeadline.toMillis();
        yield with(
            model,
            classification,
            fallbackModel,
            priority,
            Math.min(extend.deadlineEpochMillis(), latest),
            fresh);
      }
      case Control.Reprioritise change ->
          with(model, classification, fallbackModel, change.priority(), deadlineEpochMillis, fresh);
    };
  }

  /** The same after all that is asked of it. */
  public RequestMetadata amended(List<Control> controls, Duration longestDeadline) {
    RequestMetadata metadata = this;
    for (Control control : controls) {
      metadata = metadata.amended(control, longestDeadline);
    }
    return metadata;
  }

  /** How long its answer is wanted still; not above zero once it is not. */
  public long remainingMillis(TimePoint now) {
    return deadlineEpochMillis - now.epochMillis();
  }

  /** How long ago it was appended. */
  public long ageMillis(TimePoint now) {
    return Math.max(0, now.epochMillis() - appendTimeMillis);
  }

  /** Whether it is bulk work that can be put off no longer. */
  public boolean isDeadlineCritical(TimePoint now) {
    return priority == Priority.BULK && slackEndsMillis() <= now.epochMillis();
  }

  /** From when on it would be hurried if it is bulk; epoch milliseconds. */
  public long slackEndsMillis() {
    return Slack.endsAtMillis(appendTimeMillis, deadlineEpochMillis);
  }

  /** The same as an interactive request. */
  public RequestMetadata promoted() {
    return with(
        model, classification, fallbackModel, Priority.INTERACTIVE, deadlineEpochMillis, fresh);
  }

  /** The same, now that somebody may have worked on it. */
  public RequestMetadata seen() {
    return with(model, classification, fallbackModel, priority, deadlineEpochMillis, false);
  }

  /** The same asked of its fallback model, which has no tiers and no fallback; else empty. */
  public Optional<RequestMetadata> onFallback() {
    return fallbackModel.map(
        fallback ->
            with(
                fallback,
                classification.inAnyTier(),
                Optional.empty(),
                priority,
                deadlineEpochMillis,
                fresh));
  }

  /** The same whose answer goes elsewhere. */
  public RequestMetadata answeredAt(ReplyAddress newReplyTo) {
    return new RequestMetadata(
        requestId,
        requestPartition,
        source,
        newReplyTo,
        endpoint,
        model,
        lane,
        promptTokens,
        outputTokens,
        classification,
        fallbackModel,
        priority,
        tenant,
        appendTimeMillis,
        deadlineEpochMillis,
        fresh,
        estimatedTokens);
  }

  private RequestMetadata with(
      String newModel,
      Classification newClassification,
      Optional<String> newFallbackModel,
      Priority newPriority,
      long newDeadlineEpochMillis,
      boolean stillFresh) {
    return new RequestMetadata(
        requestId,
        requestPartition,
        source,
        replyTo,
        endpoint,
        newModel,
        lane,
        promptTokens,
        outputTokens,
        newClassification,
        newFallbackModel,
        newPriority,
        tenant,
        appendTimeMillis,
        newDeadlineEpochMillis,
        stillFresh,
        estimatedTokens);
  }
}
