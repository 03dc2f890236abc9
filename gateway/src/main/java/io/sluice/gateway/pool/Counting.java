package io.sluice.gateway.pool;

import io.sluice.common.openai.Usage;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.RequestFailedException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** How it is found out what a request used. */
enum Counting {
  /** The sender of the request counts it. */
  ELSEWHERE,
  /** Its answer comes as a whole. */
  WHOLE,
  /** Its answer comes while it is made. */
  STREAMED,
  /** The same, and it continues without a reader. */
  POSTED;

  /**
   * Returns what a request used that has ended.
   *
   * @param failure why there is no answer, as a future reports it
   * @param tokensRead the tokens that arrived
   */
  Spent of(@Nullable Answer answer, @Nullable Throwable failure, long tokensRead) {
    if (this == ELSEWHERE) {
      return Spent.NOTHING;
    }
    if (answer != null) {
      Usage usage = answer.usage();
      return usage.equals(Usage.NONE)
          ? Spent.UNKNOWN
          : Spent.told(usage.promptTokens(), usage.completionTokens());
    }
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof RequestFailedException failed
        ? of(failed.failure(), tokensRead)
        : Spent.NOTHING;
  }

  /** What failed is not counted; what was stopped is, and so is what only lost its reader. */
  private Spent of(ReplyEvent.Failed failure, long tokensRead) {
    boolean isStopped = failure.kind().isStopped();
    if (!isStopped && !failure.isLocal()) {
      return Spent.NOTHING;
    }
    return switch (this) {
      case ELSEWHERE -> Spent.NOTHING;
      case POSTED -> failure.isLocal() ? Spent.UNKNOWN : Spent.until(tokensRead);
      case STREAMED -> isStopped || tokensRead > 0 ? Spent.until(tokensRead) : Spent.NOTHING;
      // How much was made is not known before the end.
      case WHOLE -> isStopped ? Spent.UNKNOWN : Spent.NOTHING;
    };
  }
}
