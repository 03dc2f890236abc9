package io.sluice.gateway.attach;

import io.sluice.producer.client.ReplyEvent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the events of one answer, one for each record that the reading rule accepts. All readers
 * of an answer number it alike. Not thread-safe.
 */
final class Numbering {
  private Position last = Position.START;

  /** Tokens that may be the closing chunk, which comes again as the end. */
  private ReplyEvent.@Nullable Tokens held;

  /** Returns the events that are certain after the next one, in order. */
  List<Numbered> of(ReplyEvent event) {
    List<Numbered> certain = new ArrayList<>();
    ReplyEvent.Tokens earlier = held;
    held = null;
    if (earlier != null && !isEndOf(earlier, event)) {
      certain.add(number(earlier));
    }
    if (event instanceof ReplyEvent.Tokens tokens && tokens.count() == 0) {
      held = tokens;
    } else {
      certain.add(number(event));
    }
    return certain;
  }

  /** The text that an engine held back until the end comes as tokens, and then as the end. */
  private static boolean isEndOf(ReplyEvent.Tokens tokens, ReplyEvent event) {
    return event instanceof ReplyEvent.Completed completed
        && completed.json().equals(tokens.json());
  }

  private Numbered number(ReplyEvent event) {
    last =
        switch (event) {
          case ReplyEvent.Tokens tokens -> at(last.attempt(), tokens.index() + tokens.count());
          case ReplyEvent.Restarted restarted -> at(restarted.attempt(), 0);
          case ReplyEvent.Resumed resumed -> at(resumed.attempt(), resumed.tokensKept());
          case ReplyEvent.Terminal _ -> at(last.attempt(), last.tokens());
        };
    return new Numbered(last, event);
  }

  private Position at(int attempt, int tokens) {
    boolean isNew = attempt != last.attempt() || tokens != last.tokens();
    return new Position(attempt, tokens, isNew ? 1 : last.step() + 1, 0);
  }
}
