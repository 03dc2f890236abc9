package io.sluice.producer.client;

import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.reply.ReplyFold;
import io.sluice.common.reply.ReplyFold.Verdict;
import io.sluice.common.reply.ReplyKind;
import io.sluice.common.reply.ReplyPointer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one request, as it comes. It can be read once event by event, either with {@link
 * #next} or by one {@link Flow.Subscriber}, and besides as a whole by {@link #answer}.
 *
 * <p>Guarantees: tokens come in order, none twice, none left out ({@link ReplyEvent.Restarted}
 * voids what came before it); exactly one {@link ReplyEvent.Terminal} comes, and it is the last
 * event. It comes at the latest some seconds after the request's deadline, made by the client if
 * the pool is silent. An error is an event, not an {@code onError}: that signals only misuse.
 *
 * <p>Who reads slowly costs nobody anything: beyond a bounded number of unread events the stream
 * detaches from the live records, and re-reads them from Kafka when there is room again. Cancelling
 * the subscription cancels the request. Thread-safe.
 */
public final class ReplyStream implements Flow.Publisher<ReplyEvent> {
  /** As the protocol has it: a UUIDv7's time less this is before the first reply record. */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

  /** Some 30 s without a record that is known to be there. */
  private static final int MAX_IDLE_TURNS = 300;

  private final String requestId;
  private final int requestPartition;
  private final StreamOwner owner;
  private final CompletableFuture<Answer> answer = new CompletableFuture<>();
  private final EventBuffer buffer;

  private final ReentrantLock lock = new ReentrantLock();
  private final LiveAnswer live;
  private TopicPartition source;
  private ReplyFold fold = ReplyFold.fromStart();
  private long lastCountedOffset = -1;
  private long expiryNanos;
  private boolean isCancelled;
  private ReplyEvent.@Nullable Terminal terminal;

  /** Where the reader is when it could not keep up; absent while it reads live. */
  private @Nullable Replay detached;

  ReplyStream(
      String requestId,
      int requestPartition,
      TopicPartition source,
      Endpoint endpoint,
      boolean isStreamed,
      long expiryNanos,
      StreamOwner owner) {
    this.requestId = requestId;
    this.requestPartition = requestPartition;
    this.source = source;
    this.live = new LiveAnswer(requestId, endpoint, isStreamed);
    this.expiryNanos = expiryNanos;
    this.owner = owner;
    this.buffer =
        new EventBuffer(
            owner.bufferedEvents(),
            owner.executor(),
            new EventBuffer.DrainListener() {
              @Override
              public void drained() {
                replayIfDetached();
              }

              @Override
              public void readerCancelled() {
                cancel();
              }
            });
  }

  /** The request's id, by which anybody can find the answer in Kafka. */
  public String requestId() {
    return requestId;
  }

  /**
   * Waits for the next event.
   *
   * @return empty after the {@link ReplyEvent.Terminal} was returned
   * @throws TimeoutException if none came in time; the stream goes on
   * @throws IllegalStateException if the stream has a subscriber
   */
  public Optional<ReplyEvent> next(Duration timeout) throws InterruptedException, TimeoutException {
    return buffer.next(timeout);
  }

  /** Has the events delivered; a second reader is refused with {@code onError}. */
  @Override
  public void subscribe(Flow.Subscriber<? super ReplyEvent> subscriber) {
    buffer.subscribe(subscriber);
  }

  /**
   * The whole answer; fails with a {@link RequestFailedException}. Needs nobody to read the events.
   */
  public CompletableFuture<Answer> answer() {
    return answer.copy();
  }

  /**
   * Asks the pool to end the request; returns at once. The stream then ends as {@code cancelled},
   * unless it had its end already. Repeated calls have no effect.
   */
  public void cancel() {
    lock.lock();
    try {
      if (isCancelled || terminal != null) {
        return;
      }
      isCancelled = true;
    } finally {
      lock.unlock();
    }
    owner.cancel(this);
  }

  int requestPartition() {
    return requestPartition;
  }

  /** Brings the client's own end forward. */
  void expireBy(long nanos) {
    lock.lock();
    try {
      if (nanos - expiryNanos < 0) {
        expiryNanos = nanos;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends the stream if its time is over and the pool has said nothing. */
  void expire(long nowNanos) {
    lock.lock();
    try {
      if (nowNanos - expiryNanos < 0) {
        return;
      }
    } finally {
      lock.unlock();
    }
    if (isCancelled) {
      fail(ErrorKind.CANCELLED, "cancelled; the pool did not confirm it in time");
    } else {
      fail(
          ErrorKind.DEADLINE_EXCEEDED,
          "no answer came by the deadline; is a router and a worker for this model running?");
    }
  }

  /** Ends the stream with an error that the client found; without effect after its end. */
  void fail(ErrorKind kind, String message) {
    ReplyEvent.Failed failure = ReplyEvent.Failed.local(kind, message);
    lock.lock();
    try {
      if (terminal != null) {
        return;
      }
      terminal = failure;
      detached = null;
      buffer.end(failure);
    } finally {
      lock.unlock();
    }
    finish(failure);
  }

  /** Takes the next record of this request from the log. */
  void accept(ReplyRecord record) {
    ReplyEvent.Terminal end;
    lock.lock();
    try {
      if (terminal != null || !record.partition().equals(source)) {
        return;
      }
      ReplyFold before = fold;
      ReplyFold.Step step = before.next(record.headers());
      fold = step.fold();
      List<ReplyEvent> events = liveEvents(step.verdict(), record);
      if (events.isEmpty()) {
        return;
      }
      lastCountedOffset = record.offset();
      if (detached == null && !show(events)) {
        detached = new Replay(before, record);
      }
      end = terminal;
    } finally {
      lock.unlock();
    }
    if (end != null) {
      finish(end);
    }
  }

  private List<ReplyEvent> liveEvents(Verdict verdict, ReplyRecord record) {
    switch (verdict) {
      case Verdict.Appended ignored -> {
        return List.of(live.append(record));
      }
      case Verdict.Ended ended when ended.kind() == ReplyKind.FINAL -> {
        ReplyEvent.Terminal end = live.complete(record);
        terminal = end;
        return withHeldBackText(record, end);
      }
      case Verdict.Ended ignored -> terminal = LiveAnswer.failed(record);
      case Verdict.Truncated ignored -> terminal = truncated();
      case Verdict.Restarted ignored -> {
        live.restart();
        return List.of(takeover(verdict, record));
      }
      case Verdict.Resumed ignored -> {
        return List.of(takeover(verdict, record));
      }
      case Verdict.Pointer ignored -> followPointer(record);
      case Verdict.Ignored ignored -> {}
    }
    ReplyEvent.Terminal end = terminal;
    return end == null ? List.of() : List.of(end);
  }

  /** The end of a streamed answer may carry text that the engine had held back. */
  private static List<ReplyEvent> withHeldBackText(ReplyRecord record, ReplyEvent.Terminal end) {
    ReplyEvent.Tokens last = LiveAnswer.tokens(record, record.json());
    boolean isChunk = record.json().path("choices").path(0).has("delta");
    return isChunk && !last.text().isEmpty() ? List.of(last, end) : List.of(end);
  }

  private static ReplyEvent takeover(Verdict verdict, ReplyRecord record) {
    Optional<String> worker = record.headers().worker();
    return verdict instanceof Verdict.Restarted restarted
        ? new ReplyEvent.Restarted(restarted.attempt(), restarted.tokensDiscarded(), worker)
        : new ReplyEvent.Resumed(
            record.headers().attempt(),
            verdict instanceof Verdict.Resumed resumed ? resumed.tokensKept() : 0,
            worker);
  }

  private static ReplyEvent.Failed truncated() {
    return ReplyEvent.Failed.local(
        ErrorKind.REPLY_TRUNCATED, "the beginning of the answer is no longer in Kafka");
  }

  /** Shows events to the reader; false if it has no room for the first one. */
  private boolean show(List<ReplyEvent> events) {
    for (ReplyEvent event : events) {
      switch (event) {
        case ReplyEvent.Terminal end -> buffer.end(end);
        case ReplyEvent.Tokens tokens -> {
          if (!buffer.offer(tokens)) {
            return false;
          }
        }
        case ReplyEvent.Restarted restarted -> {
          if (!buffer.offer(restarted)) {
            return false;
          }
        }
        case ReplyEvent.Resumed resumed -> {
          if (!buffer.offer(resumed)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  private void followPointer(ReplyRecord record) {
    Optional<ReplyPointer> pointer = ReplyPointer.parse(record.value());
    if (pointer.isEmpty()) {
      return;
    }
    TopicPartition target =
        new TopicPartition(pointer.get().address().topic(), pointer.get().address().partition());
    // A repeat with the same reply address is answered right here.
    if (!target.equals(source)) {
      source = target;
      fold = ReplyFold.fromAnywhere();
      owner.follow(new Tail(target, pointer.get().offset()));
    }
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
    } finally {
      lock.unlock();
    }
    owner.follow(replay);
  }

  private void finish(ReplyEvent.Terminal end) {
    owner.ended(this);
    // Callers' code hangs on the future: it must not run on the thread that reads Kafka.
    owner
        .executor()
        .execute(
            () -> {
              switch (end) {
                case ReplyEvent.Completed completed -> answer.complete(completed.answer());
                case ReplyEvent.Failed failed ->
                    answer.completeExceptionally(new RequestFailedException(failed));
              }
            });
  }

  /** Reads the records that the reader had no room for, up to where the live reading is. */
  private final class Replay implements Follower {
    private final TopicPartition partition;
    private ReplyFold position;
    private long nextOffset;
    private int idleTurns;
    private boolean isRunning;

    Replay(ReplyFold position, ReplyRecord record) {
      this.partition = record.partition();
      this.position = position;
      this.nextOffset = record.offset();
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
        idleTurns = 0;
        if (record.offset() < nextOffset || !record.headers().requestId().equals(requestId)) {
          return true;
        }
        ReplyFold.Step step = position.next(record.headers());
        if (!show(replayed(step.verdict(), record))) {
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
      ReplyEvent.Terminal end = terminal;
      return switch (verdict) {
        case Verdict.Appended ignored -> List.of(LiveAnswer.tokens(record, record.json()));
        case Verdict.Resumed ignored -> List.of(takeover(verdict, record));
        case Verdict.Restarted ignored -> List.of(takeover(verdict, record));
        case Verdict.Ended ended when end != null ->
            ended.kind() == ReplyKind.FINAL ? withHeldBackText(record, end) : List.of(end);
        case Verdict.Ended ignored -> List.of();
        case Verdict.Truncated ignored -> List.of(truncated());
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
      idleTurns++;
      if (idleTurns > MAX_IDLE_TURNS) {
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

  /** Reads the answer of an earlier request of the same id, wherever it is. */
  private final class Tail implements Follower {
    private final TopicPartition partition;
    private OptionalLong nextOffset;

    Tail(TopicPartition partition, OptionalLong from) {
      this.partition = partition;
      this.nextOffset = from;
    }

    @Override
    public TopicPartition partition() {
      return partition;
    }

    @Override
    public OptionalLong nextOffset() {
      return nextOffset;
    }

    @Override
    public Instant since() {
      return RequestId.timeOf(requestId).map(made -> made.minus(CLOCK_SKEW)).orElse(Instant.EPOCH);
    }

    @Override
    public boolean accept(ReplyRecord record) {
      if (record.headers().requestId().equals(requestId)) {
        ReplyStream.this.accept(record);
      }
      return !isDone();
    }

    @Override
    public void advanced(long offset) {
      nextOffset = OptionalLong.of(offset);
    }

    @Override
    public void idle() {}

    @Override
    public void failed(ErrorKind kind, String message) {
      fail(kind, message);
    }

    @Override
    public boolean isDone() {
      lock.lock();
      try {
        return terminal != null;
      } finally {
        lock.unlock();
      }
    }
  }
}
