package io.sluice.producer.reply;

import java.util.List;

/**
 * What the log holds of an answer.
 *
 * @param events in order; the last one is a {@link ReplyEvent.Terminal} if the answer has ended, or
 *     tells that its beginning is no longer stored
 * @param place where it lies; unknown if its beginning is no longer stored
 */
public record StoredAnswer(List<ReplyEvent> events, AnswerPlace place) {
  public StoredAnswer {
    events = List.copyOf(events);
  }
}
