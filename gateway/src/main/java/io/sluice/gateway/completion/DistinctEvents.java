package io.sluice.gateway.completion;

import io.sluice.producer.reply.ReplyEvent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The events of one answer, each once. Text that an engine held back until the end comes as tokens
 * without a count, and again in the closing chunk. Not thread-safe.
 */
public final class DistinctEvents {
  /** Tokens that may be those of the closing chunk. */
  private ReplyEvent.@Nullable Tokens uncertain;

  /** Returns the events that are certain after the next one, in order. */
  public List<ReplyEvent> of(ReplyEvent event) {
    List<ReplyEvent> certain = new ArrayList<>(2);
    ReplyEvent.Tokens earlier = uncertain;
    uncertain = null;
    if (earlier != null && !isRepeatedBy(event, earlier)) {
      certain.add(earlier);
    }
    if (event instanceof ReplyEvent.Tokens tokens && tokens.count() == 0) {
      uncertain = tokens;
    } else {
      certain.add(event);
    }
    return certain;
  }

  private static boolean isRepeatedBy(ReplyEvent event, ReplyEvent.Tokens tokens) {
    return event instanceof ReplyEvent.Completed completed
        && tokens.value().equals(completed.value());
  }
}
