package io.sluice.producer.attach;

import io.sluice.common.reply.ReplyFold;
import io.sluice.common.reply.ReplyFold.Phase;
import io.sluice.producer.follow.ReplyRecord;
import io.sluice.producer.reply.AnswerPlace;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.StoredAnswer;
import io.sluice.producer.stream.LiveAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The events of one answer, and where they lie, from its records in order. Not thread-safe. */
final class AnswerReading {
  private final String requestId;
  private final LiveAnswer answer;
  private final List<ReplyEvent> events = new ArrayList<>();
  private ReplyFold fold = ReplyFold.fromAnywhere();
  private OptionalLong first = OptionalLong.empty();
  private OptionalLong end = OptionalLong.empty();

  AnswerReading(String requestId) {
    this.requestId = requestId;
    this.answer = new LiveAnswer(requestId, true);
  }

  /** Receives the next record of the partition, of any request. */
  void accept(ReplyRecord record) {
    if (isOver() || !record.headers().requestId().equals(requestId)) {
      return;
    }
    if (first.isEmpty()) {
      first = OptionalLong.of(record.offset());
    }
    ReplyFold.Step step = fold.next(record.headers());
    fold = step.fold();
    events.addAll(answer.next(step.verdict(), record));
    if (fold.phase() == Phase.ENDED) {
      end = OptionalLong.of(record.offset());
    }
  }

  /** Returns whether no further record can have an effect. */
  boolean isOver() {
    return fold.isOver();
  }

  /** Returns whether the records that were read do not include the beginning of the answer. */
  boolean isTruncated() {
    return fold.phase() == Phase.TRUNCATED;
  }

  /**
   * Returns what was read.
   *
   * @param upTo the offset before which all records were read
   */
  StoredAnswer result(OptionalLong upTo) {
    AnswerPlace place =
        isTruncated()
            ? AnswerPlace.UNKNOWN
            : new AnswerPlace(first.isPresent() ? first : upTo, end);
    return new StoredAnswer(events, place);
  }
}
