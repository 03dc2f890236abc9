package io.sluice.producer.stream;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.reply.ReplyFold;
import io.sluice.common.reply.ReplyFold.Verdict;
import io.sluice.producer.follow.Follower;
import io.sluice.producer.follow.ReplyRecord;
import io.sluice.producer.follow.Silence;
import io.sluice.producer.reply.ReplyEvent;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What the reader of a stream has received. It is live while there is room in the buffer. It
 * detaches at the first record without room, and re-reads from that record when the reader has
 * emptied the buffer, until it has caught up. Guarded by the stream's lock.
 */
final class ReaderView {
  private final StreamTerms terms;
  private final ReentrantLock lock;
  private final StreamOwner owner;
  private final EventBuffer buffer;
  private long lastCountedOffset = -1;
  private List<ReplyEvent> lastEvents = List.of();

  /** The reader has the tokens before this one; a restart discards them. */
  private int fromIndex;

  /** Where the reader is after it could not keep up; absent while it reads live. */
  private @Nullable Replay detached;

  ReaderView(StreamTerms terms, ReentrantLock lock, StreamOwner owner, Runnable readerCancelled) {
    this.fromIndex = terms.fromIndex();
    this.terms = terms;
    this.lock = lock;
    this.owner = owner;
    this.buffer =
        new EventBuffer(
            owner.bufferedEvents(),
            owner.unreadBytes(),
            terms.reader(),
            owner.executor(),
            new EventBuffer.DrainListener() {
              @Override
              public void drained() {
                replayIfDetached();
              }

              @Override
              public void readerCancelled() {
                discard();
                readerCancelled.run();
              }
            });
  }

  /** Returns the buffer from which the reader reads; needs no lock. */
  EventBuffer buffer() {
    return buffer;
  }

  /** Returns whether the reader still has to re-read records. */
  boolean isDetached() {
    return detached != null;
  }

  /**
   * Passes on the events of an accepted record, now or later.
   *
   * @param before the fold before that record
   */
  void show(List<ReplyEvent> events, ReplyFold before, ReplyRecord record) {
    lastCountedOffset = record.offset();
    if (events.getLast() instanceof ReplyEvent.Terminal) {
      lastEvents = events;
    }
    if (detached == null && !offer(events)) {
      detached = new Replay(before, record);
    }
  }

  /** The reader has gone: drops what was not read, and abandons what was to be re-read. */
  void discard() {
    lock.lock();
    try {
      detached = null;
      buffer.discard();
      if (!lastEvents.isEmpty() && lastEvents.getLast() instanceof ReplyEvent.Terminal end) {
        buffer.end(end);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends the view after the events in the buffer, and abandons what was to be re-read. */
  void cut(ReplyEvent.Terminal terminal) {
    detached = null;
    buffer.end(terminal);
  }

  /** Passes events to the reader; false if there is no room for the first one. */
  private boolean offer(List<ReplyEvent> events) {
    for (ReplyEvent event : events) {
      switch (event) {
        case ReplyEvent.Terminal end -> buffer.end(end);
        case ReplyEvent.Tokens tokens when isRead(tokens) -> {}
        case ReplyEvent.Tokens tokens -> {
          if (!buffer.offer(tokens)) {
            return false;
          }
        }
        case ReplyEvent.Restarted restarted -> {
          if (!buffer.offer(restarted)) {
            return false;
          }
          fromIndex = 0;
        }
        case ReplyEvent.Resumed resumed when resumed.tokensKept() < fromIndex -> {}
        case ReplyEvent.Resumed resumed -> {
          if (!buffer.offer(resumed)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /**
   * Returns whether the reader already has these tokens; text that the engine held back it does
   * not.
   */
  private boolean isRead(ReplyEvent.Tokens tokens) {
    return tokens.index() + Math.max(1, tokens.count()) <= fromIndex;
  }

  private void replayIfDetached() {
    Replay replay;
    lock.lock();
    try {
      replay = detached;
      if (replay == null || replay.isRunning) {
        return;
      }
      replay.isRunning = true;
      replay.silence.broken();
    } finally {
      lock.unlock();
    }
    owner.follow(replay);
  }

  /**
   * Re-reads the records that the reader had no room for, up to the position of the live reading.
   */
  private final class Replay implements Follower {
    private final TopicPartition partition;
    private ReplyFold position;
    private long nextOffset;
    private final Silence silence = new Silence();
    private boolean isRunning;

    Replay(ReplyFold position, ReplyRecord record) {
      this.partition = record.partition();
      this.position = position;
      this.nextOffset = record.offset();
    }

    @Override
    public String tenant() {
      return terms.reader();
    }

    @Override
    public TopicPartition partition() {
      return partition;
    }

    @Override
    public OptionalLong nextOffset() {
      return OptionalLong.of(nextOffset);
    }

    @Override
    public Instant since() {
      return Instant.EPOCH;
    }

    @Override
    public boolean accept(ReplyRecord record) {
      lock.lock();
      try {
        if (detached != this) {
          return false;
        }
        silence.broken();
        if (record.offset() < nextOffset
            || !record.headers().requestId().equals(terms.requestId())) {
          return true;
        }
        ReplyFold.Step step = position.next(record.headers());
        if (!offer(replayed(step.verdict(), record))) {
          isRunning = false;
          return false;
        }
        position = step.fold();
        nextOffset = record.offset() + 1;
        if (nextOffset > lastCountedOffset) {
          detached = null;
          return false;
        }
        return true;
      } finally {
        lock.unlock();
      }
    }

    private List<ReplyEvent> replayed(Verdict verdict, ReplyRecord record) {
      return switch (verdict) {
        case Verdict.Appended ignored -> List.of(LiveAnswer.tokens(record));
        case Verdict.Resumed ignored -> List.of(LiveAnswer.takeover(verdict, record));
        case Verdict.Restarted ignored -> List.of(LiveAnswer.takeover(verdict, record));
        case Verdict.Ended ignored -> lastEvents;
        case Verdict.Truncated ignored -> List.of(LiveAnswer.truncated());
        case Verdict.Pointer ignored -> List.of();
        case Verdict.Ignored ignored -> List.of();
      };
    }

    @Override
    public void advanced(long offset) {
      nextOffset = Math.max(nextOffset, offset);
    }

    @Override
    public void idle() {
      if (silence.isTooLong(owner.nanoTime())) {
        failed(ErrorKind.UNAVAILABLE, "the unread part of the answer cannot be read from Kafka");
      }
    }

    @Override
    public void failed(ErrorKind kind, String message) {
      lock.lock();
      try {
        if (detached == this) {
          detached = null;
          buffer.end(ReplyEvent.Failed.local(kind, message));
        }
      } finally {
        lock.unlock();
      }
    }

    @Override
    public boolean isDone() {
      lock.lock();
      try {
        return detached != this;
      } finally {
        lock.unlock();
      }
    }
  }
}
