package io.sluice.simulator.serving;

import io.sluice.simulator.engine.FinishReason;
import io.sluice.simulator.engine.SequenceRequest;
import io.sluice.simulator.engine.TokenOutput;
import io.sluice.simulator.metrics.FinishedRequest;
import io.sluice.simulator.metrics.RequestTimes;
import io.sluice.simulator.metrics.ServerMetrics;
import io.sluice.simulator.text.Detokenizer;
import io.sluice.simulator.text.TokenIds;
import io.sluice.simulator.text.Tokenizer;
import java.util.Optional;

/**
 * One sequence in the engine from the front end's view. It turns tokens into text, applies stop
 * strings and records times. Used by the driver's thread only.
 */
final class ActiveChoice {

  private final int choice;
  private final SequenceRequest request;
  private final Detokenizer detokenizer;
  private final OutputListener listener;
  private final PromptGroup group;
  private final long arrivalNanos;

  private long queuedNanos;
  private long firstTokenNanos;
  private long lastTokenNanos;
  private int outputTokens;
  private int cachedTokens;
  private boolean cancelled;

  ActiveChoice(
      int choice,
      SequenceRequest request,
      Detokenizer detokenizer,
      OutputListener listener,
      PromptGroup group,
      long arrivalNanos) {
    this.choice = choice;
    this.request = request;
    this.detokenizer = detokenizer;
    this.listener = listener;
    this.group = group;
    this.arrivalNanos = arrivalNanos;
  }

  SequenceRequest request() {
    return request;
  }

  void queued(long nowNanos) {
    queuedNanos = nowNanos;
  }

  boolean hasOutput() {
    return outputTokens > 0;
  }

  /** Marks a choice as cancelled, in case it has not entered the engine yet. */
  void cancel() {
    cancelled = true;
  }

  boolean isCancelled() {
    return cancelled;
  }

  /** Adds a token and counts it. The caller delivers the output. */
  ChoiceOutput take(TokenOutput output, long nowNanos, ServerMetrics metrics) {
    countToken(nowNanos, metrics);
    cachedTokens = output.cachedTokens();
    boolean endOfText =
        output.finish().equals(Optional.of(FinishReason.STOP))
            && output.tokenId() == Tokenizer.END_OF_TEXT;
    Optional<String> stop =
        endOfText
            ? Optional.empty()
            : detokenizer.add(output.tokenId(), outputTokens >= request.minTokens());
    Optional<Finish> finish =
        stop.map(Finish::stoppedBy)
            .or(() -> output.finish().map(reason -> finish(reason, output.tokenId())));
    finish.ifPresent(end -> countEnd(end.reason(), output, metrics));
    return new ChoiceOutput(
        choice,
        detokenizer.take(finish.isPresent()),
        TokenIds.of(output.tokenId()),
        outputTokens,
        cachedTokens,
        finish);
  }

  void pass(ChoiceOutput output) {
    listener.onOutput(output);
  }

  /** Ends the choice from outside and flushes the text that was held back. */
  void end(FinishReason reason) {
    listener.onOutput(
        new ChoiceOutput(
            choice,
            detokenizer.take(true),
            TokenIds.of(),
            outputTokens,
            cachedTokens,
            Optional.of(Finish.of(reason))));
  }

  private static Finish finish(FinishReason reason, int tokenId) {
    if (reason == FinishReason.REPETITION) {
      return Finish.repeated();
    }
    return reason == FinishReason.STOP && tokenId != Tokenizer.END_OF_TEXT
        ? Finish.stoppedBy(tokenId)
        : Finish.of(reason);
  }

  private void countToken(long nowNanos, ServerMetrics metrics) {
    if (outputTokens == 0) {
      firstTokenNanos = nowNanos;
      metrics.firstTokenAfter(nowNanos - arrivalNanos);
    } else {
      metrics.nextTokenAfter(nowNanos - lastTokenNanos);
    }
    lastTokenNanos = nowNanos;
    outputTokens++;
  }

  private void countEnd(FinishReason reason, TokenOutput last, ServerMetrics metrics) {
    metrics.finished(
        new FinishedRequest(
            reason,
            request.prompt().size(),
            outputTokens,
            request.maxTokens(),
            last.preemptions(),
            last.cachedTokens(),
            new RequestTimes(
                arrivalNanos,
                queuedNanos,
                // A step that catches up can nominally start before a request that arrived
                // meanwhile.
                Math.max(queuedNanos, last.scheduledNanos()),
                firstTokenNanos,
                lastTokenNanos)));
    if (group.finishOne(outputTokens)) {
      metrics.allChoicesFinished(group.n(), group.mostOutputTokens());
    }
  }
}
