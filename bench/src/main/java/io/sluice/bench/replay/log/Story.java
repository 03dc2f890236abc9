package io.sluice.bench.replay.log;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.RoutingDecision;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestMetadataBuilder;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** What the records read so far say about one request. Not thread-safe. */
final class Story {
  private final RequestMetadata metadata;
  private final PrefixChain prefix;
  private final boolean parked;
  private End end = End.UNKNOWN;
  private OptionalLong ttftMillis = OptionalLong.empty();
  private OptionalInt promptTokens = OptionalInt.empty();
  private OptionalInt cachedTokens = OptionalInt.empty();
  private OptionalInt outputTokens = OptionalInt.empty();
  private OptionalLong waitedMillis = OptionalLong.empty();
  private OptionalLong endedMillis = OptionalLong.empty();
  private @Nullable String worker;
  private long decidedPromptTokens;
  private int progress;

  Story(RequestMetadata metadata, PrefixChain prefix, boolean parked) {
    this.metadata = metadata;
    this.prefix = prefix;
    this.parked = parked;
  }

  RequestMetadata metadata() {
    return metadata;
  }

  boolean hasEnd() {
    return end != End.UNKNOWN;
  }

  /** Returns the prompt as its engine counted it; empty if that is not recorded. */
  OptionalInt promptTokens() {
    return promptTokens;
  }

  void reported(Outcome outcome, long atMillis) {
    worker = outcome.lease().worker();
    switch (outcome.event()) {
      case Outcome.Started started -> {
        // Of several attempts, the first one with a token counts.
        ttftMillis = ttftMillis.isPresent() ? ttftMillis : started.ttftMillis();
        cachedTokens = cachedTokens.isPresent() ? cachedTokens : started.cachedTokens();
      }
      case Outcome.Progress made -> progress = Math.max(progress, made.tokens());
      case Outcome.Completed completed -> {
        answered(completed.promptTokens(), completed.completionTokens(), atMillis);
        cachedTokens =
            completed.cachedTokens().isPresent() ? completed.cachedTokens() : cachedTokens;
      }
      case Outcome.Rejected rejected -> ended(End.of(rejected.error()), atMillis);
      case Outcome.Cancelled _ -> ended(End.CANCELLED, atMillis);
      case Outcome.Expired _ -> ended(End.FAILED, atMillis);
      case Outcome.Accepted _, Outcome.Failed _, Outcome.Returned _, Outcome.Superseded _ -> {}
    }
  }

  /** Its reply topic has its answer. */
  void answered(int prompt, int output, long atMillis) {
    ended(End.ANSWERED, atMillis);
    promptTokens = prompt > 0 ? OptionalInt.of(prompt) : promptTokens;
    outputTokens = output > 0 ? OptionalInt.of(output) : outputTokens;
  }

  /** Its reply topic has an error. */
  void refused(ErrorKind error, long atMillis) {
    ended(End.of(error), atMillis);
  }

  private void ended(End how, long atMillis) {
    end = how;
    endedMillis = OptionalLong.of(atMillis);
  }

  void decided(RoutingDecision decision) {
    decidedPromptTokens = decision.promptTokens();
    if (decision.attempt() == 1) {
      waitedMillis = OptionalLong.of(decision.waitedMillis());
    }
  }

  /**
   * Returns all of it.
   *
   * @param factor of engines' counts of prompts to the router's estimates
   */
  RecordedRequest toRequest(double factor) {
    long corrected = Math.max(1, Math.round(metadata.estimatedTokens() * factor));
    long likely = metadata.estimatedTokens() > 0 ? corrected : metadata.promptTokens();
    long expected = decidedPromptTokens > 0 ? decidedPromptTokens : likely;
    return new RecordedRequest(
        RequestMetadataBuilder.builder(metadata).promptTokens(expected).build(),
        prefix,
        parked,
        new Happened(
            end,
            ttftMillis,
            promptTokens,
            cachedTokens,
            end == End.CANCELLED && progress > 0 ? OptionalInt.of(progress) : outputTokens,
            Optional.ofNullable(worker),
            waitedMillis,
            endedMillis));
  }
}
