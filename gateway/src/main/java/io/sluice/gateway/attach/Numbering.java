package io.sluice.gateway.attach;

import io.sluice.gateway.completion.DistinctEvents;
import io.sluice.producer.reply.ReplyEvent;
import java.util.List;

/**
 * Numbers the events of one answer, one for each record that the reading rule accepts. All readers
 * of an answer number it alike. Not thread-safe.
 */
final class Numbering {
  private Position last = Position.START;
  private final DistinctEvents distinct = new DistinctEvents();

  /** Returns the events that are certain after the next one, in order. */
  List<Numbered> of(ReplyEvent event) {
    return distinct.of(event).stream().map(this::number).toList();
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
