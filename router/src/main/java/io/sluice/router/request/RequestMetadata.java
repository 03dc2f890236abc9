package io.sluice.router.request;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.protocol.Slack;
import io.sluice.router.classify.Classification;
import io.sluice.router.policy.RequestProfile;
import io.sluice.router.prefix.PrefixChain;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.soabase.recordbuilder.core.RecordBuilder.BuilderMode;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the router knows of a request once it is read.
 *
 * @param requestPartition the partition that it arrived on, which also receives its outcomes
 * @param source the place of its record, which tells a redelivery from a repeat
 * @param classification the tiers that may serve it, and the options that its engine needs
 * @param fallbackModel the model that may serve it instead of its own
 * @param appendTimeMillis when it was appended, by the broker's clock
 * @param deadlineEpochMillis the time after which the answer is no longer wanted
 * @param firstTokenByMillis the time after which its first token is no longer wanted, in epoch
 *     milliseconds; empty if only the deadline counts
 * @param promptTokens the number of prompt tokens that its model is likely to count
 * @param estimatedTokens the estimate of the prompt before what is known about its model is
 *     applied; 0 if it cannot be compared with the engine's count
 * @param fresh whether no attempt can have been made before this task started to read
 * @param trace empty if it is not traced
 */
@RecordBuilder
@RecordBuilder.Options(builderMode = BuilderMode.STAGED_REQUIRED_ONLY, enableWither = false)
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
    OptionalLong firstTokenByMillis,
    boolean fresh,
    long estimatedTokens,
    Optional<RequestTrace> trace) {

  /** The size for a request with empty names. */
  private static final int HEAP_BYTES = 1_200;

  /** The size of a trace without its state. */
  private static final int TRACE_BYTES = 400;

  /** The size of one more time, with its timer. */
  private static final int TIMER_BYTES = 120;

  /** How often a name is stored: as a key, in the stored value, in queues. */
  private static final int COPIES = 3;

  /** The place of a record in the log. */
  public record Source(String topic, int partition, long offset) {
    public Source {
      Objects.requireNonNull(topic, "the source has no topic");
    }
  }

  /** Fields that an older router did not store are empty. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public RequestMetadata {
    Objects.requireNonNull(requestId, "it has no request id");
    Objects.requireNonNull(source, "it has no source");
    Objects.requireNonNull(replyTo, "it has no reply address");
    Objects.requireNonNull(endpoint, "it has no endpoint");
    Objects.requireNonNull(model, "it has no model");
    Objects.requireNonNull(lane, "it has no lane");
    Objects.requireNonNull(priority, "it has no priority");
    Objects.requireNonNull(tenant, "it has no tenant");
    if (replyTo.topic() == null || replyTo.partition() < 0) {
      throw new IllegalArgumentException("its reply address is " + replyTo);
    }
    classification = classification == null ? Classification.NONE : classification;
    fallbackModel = fallbackModel == null ? Optional.empty() : fallbackModel;
    firstTokenByMillis = firstTokenByMillis == null ? OptionalLong.empty() : firstTokenByMillis;
    trace = trace == null ? Optional.empty() : trace;
  }

  public RequestProfile profile() {
    return profile(classification.needs());
  }

  /** Returns the profile for the policy, if the engine must understand exactly these options. */
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
   * Returns an upper bound of the router's heap that the request takes while it waits: its stored
   * value and its entries in queues and timers. Its record is not included.
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
    long traceBytes = trace.map(it -> TRACE_BYTES + COPIES * it.state().length()).orElse(0);
    long timerBytes = firstTokenByMillis.isPresent() ? TIMER_BYTES : 0;
    return HEAP_BYTES + COPIES * characters + traceBytes + timerBytes;
  }

  /**
   * Applies a control. A cancel changes nothing here.
   *
   * @param longestDeadline the longest time from append to deadline; records are not kept for
   *     longer
   */
  public RequestMetadata amended(Control control, Duration longestDeadline) {
    return switch (control) {
      case Control.Cancel ignored -> this;
      case Control.Extend extend -> {
        long latest = appendTimeMillis + longestDeadline.toMillis();
        yield RequestMetadataBuilder.builder(this)
            .deadlineEpochMillis(Math.min(extend.deadlineEpochMillis(), latest))
            .build();
      }
      case Control.Reprioritise change -> with(change.priority());
    };
  }

  /** Applies all these controls. */
  public RequestMetadata amended(List<Control> controls, Duration longestDeadline) {
    RequestMetadata metadata = this;
    for (Control control : controls) {
      metadata = metadata.amended(control, longestDeadline);
    }
    return metadata;
  }

  /** Returns the time left until the deadline; zero or less once it has passed. */
  public long remainingMillis(TimePoint now) {
    return deadlineEpochMillis - now.epochMillis();
  }

  /** Returns the time since the request was appended. */
  public long ageMillis(TimePoint now) {
    return Math.max(0, now.epochMillis() - appendTimeMillis);
  }

  /** Returns whether it is bulk that can no longer be postponed. */
  public boolean isDeadlineCritical(TimePoint now) {
    return priority == Priority.BULK && slackEndsMillis() <= now.epochMillis();
  }

  /** Returns the time from which it is deadline-critical if it is bulk, epoch milliseconds. */
  public long slackEndsMillis() {
    return Slack.endsAtMillis(appendTimeMillis, deadlineEpochMillis);
  }

  /** Returns the same request with interactive priority. */
  public RequestMetadata promoted() {
    return with(Priority.INTERACTIVE);
  }

  /** Returns the same request, after an attempt may have been made. */
  public RequestMetadata seen() {
    return RequestMetadataBuilder.builder(this).fresh(false).build();
  }

  /**
   * Returns the same request for its fallback model, without tiers and without a further fallback;
   * empty if it has none.
   */
  public Optional<RequestMetadata> onFallback() {
    return fallbackModel.map(
        fallback ->
            RequestMetadataBuilder.builder(this)
                .model(fallback)
                .classification(classification.inAnyTier())
                .fallbackModel(Optional.empty())
                .build());
  }

  /** Returns the same request with another reply address. */
  public RequestMetadata answeredAt(ReplyAddress newReplyTo) {
    return RequestMetadataBuilder.builder(this).replyTo(newReplyTo).build();
  }

  private RequestMetadata with(Priority newPriority) {
    return RequestMetadataBuilder.builder(this).priority(newPriority).build();
  }
}
