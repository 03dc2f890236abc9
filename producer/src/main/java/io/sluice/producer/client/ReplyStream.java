package io.sluice.producer.client;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.reply.ReplyFold;
import io.sluice.common.reply.ReplyFold.Verdict;
import io.sluice.common.reply.ReplyKind;
import io.sluice.common.reply.ReplyPointer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
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
 * detaches from the live records, and re-reads them from Kafka when there is room again. A reader
 * that goes away, by {@link #close} or by cancelling its subscription, ends the request only if
 * {@linkplain InferenceRequest.Builder#cancelOnClose the request says so}. Thread-safe.
 */
public final class ReplyStream implements Flow.Publisher<ReplyEvent>, AutoCloseable {
  private final StreamTerms terms;
  private final StreamOwner owner;
  private final CompletableFuture<Answer> answer = new CompletableFuture<>();
  private final SingleSending cancelling = new SingleSending();
  private final ReaderView view;

  private final ReentrantLock lock = new ReentrantLock();
  private final LiveAnswer live;
  private TopicPartition source;
  private ReplyFold fold;
  private long expiryNanos;
  private boolean hasHeard;

  /** Whether a pointer was followed; what follows one does not follow another. */
  private volatile boolean isRedirected;

  private boolean isCancelled;
  private ReplyEvent.@Nullable Terminal terminal;

  ReplyStream(
      StreamTerms terms,
      TopicPartition source,
      LiveAnswer live,
      long expiryNanos,
      StreamOwner owner) {
    this.terms = terms;
    this.fold = terms.fold();
    this.source = source;
    this.live = live;
    this.expiryNanos = expiryNanos;
    this.owner = owner;
    this.view = new ReaderView(terms.requestId(), terms.fromIndex(), lock, owner, this::readerLeft);
  }

  /** The request's id, by which anybody can find the answer in Kafka. */
  public String requestId() {
    return terms.requestId();
  }

  /**
   * Waits for the next event.
   *
   * @return empty after the {@link ReplyEvent.Terminal} was returned
   * @throws TimeoutException if none came in time; the stream goes on
   * @throws IllegalStateException if the stream has a subscriber
   */
  public Optional<ReplyEvent> next(Duration timeout) throws InterruptedException, TimeoutException {
    return view.buffer().next(timeout);
  }

  /** Has the events delivered; a second reader is refused with {@code onError}. */
  @Override
  public void subscribe(Flow.Subscriber<? super ReplyEvent> subscriber) {
    view.buffer().subscribe(subscriber);
  }

  /**
   * The whole answer; fails with a {@link RequestFailedException}. Needs nobody to read the events.
   */
  public CompletableFuture<Answer> answer() {
    return answer.copy();
  }

  /**
   * Asks the pool to end the request; returns at once. The stream then ends as {@code cancelled},
   * unless it had its end already. Repeated calls have no effect, but after one that Kafka did not
   * take.
   */
  public void cancel() {
    var _ = tryCancel();
  }

  /** As {@link #cancel}; completes when the pool is sure to get it, for repeated calls too. */
  CompletableFuture<Void> tryCancel() {
    return isEnded()
        ? CompletableFuture.completedFuture(null)
        : cancelling.send(() -> owner.cancel(this));
  }

  /**
   * The reader wants no more. A request {@linkplain InferenceRequest.Builder#cancelOnClose that
   * ends with its reader} is cancelled; any other goes on in the pool, and can be attached to,
   * while this stream ends with {@link ErrorKind#UNAVAILABLE}. Without effect after the stream's
   * end.
   */
  @Override
  public void close() {
    readerLeft();
    if (!terms.isCancelledOnClose()) {
      fail(ErrorKind.UNAVAILABLE, "its reader closed the stream; the request goes on");
    }
  }

  private void readerLeft() {
    if (terms.isCancelledOnClose()) {
      cancel();
    }
  }

  boolean isCancelledOnClose() {
    return terms.isCancelledOnClose();
  }

  boolean isEnded() {
    lock.lock();
    try {
      return terminal != null;
    } finally {
      lock.unlock();
    }
  }

  OptionalInt requestPartition() {
    return terms.requestPartition();
  }

  /** Puts the client's own end off. */
  void expireNotBefore(long nanos) {
    lock.lock();
    try {
      if (nanos - expiryNanos > 0 && !isCancelled) {
        expiryNanos = nanos;
      }
    } finally {
      lock.unlock();
    }
  }

  /** The pool is sure to get the cancel: brings the client's own end forward. */
  void expireCancelledBy(long nanos) {
    lock.lock();
    try {
      isCancelled = true;
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
      boolean isUnlimited = hasHeard && terms.silence().isBrokenByFirstRecord() && !isCancelled;
      if (isUnlimited || nowNanos - expiryNanos < 0) {
        return;
      }
    } finally {
      lock.unlock();
    }
    if (isCancelled) {
      fail(ErrorKind.CANCELLED, "cancelled; the pool did not confirm it in time");
    } else {
      fail(terms.silence().kind(), terms.silence().message());
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
      view.cut(failure);
    } finally {
      lock.unlock();
    }
    finish(failure);
  }

  /** As {@link #accept}, of a record that has just come, unless the stream is read elsewhere. */
  void acceptLive(ReplyRecord record) {
    if (!isRedirected) {
      accept(record);
    }
  }

  /** Takes the next record of this request from the log. */
  void accept(ReplyRecord record) {
    if (record.refuses(terms.tenant())) {
      ReplyEvent.Failed failure = LiveAnswer.failed(record);
      fail(failure.kind(), failure.message());
      return;
    }
    ReplyEvent.Terminal end;
    lock.lock();
    try {
      if (terminal != null || !record.partition().equals(source)) {
        return;
      }
      hasHeard = true;
      ReplyFold before = fold;
      ReplyFold.Step step = before.next(record.headers());
      fold = step.fold();
      List<ReplyEvent> events = liveEvents(step.verdict(), record);
      if (events.isEmpty()) {
        return;
      }
      view.show(events, before, record);
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
        List<ReplyEvent> last = live.complete(record);
        terminal = (ReplyEvent.Terminal) last.getLast();
        return last;
      }
      case Verdict.Ended ignored -> terminal = LiveAnswer.failed(record);
      case Verdict.Truncated ignored -> terminal = LiveAnswer.truncated();
      case Verdict.Restarted ignored -> {
        live.restart();
        return List.of(LiveAnswer.takeover(verdict, record));
      }
      case Verdict.Resumed ignored -> {
        return List.of(LiveAnswer.takeover(verdict, record));
      }
      case Verdict.Pointer ignored -> followPointer(record);
      case Verdict.Ignored ignored -> {}
    }
    ReplyEvent.Terminal end = terminal;
    return end == null ? List.of() : List.of(end);
  }

  private void followPointer(ReplyRecord record) {
    Optional<ReplyPointer> pointer = ReplyPointer.parse(record.value());
    if (pointer.isEmpty() || isRedirected) {
      return;
    }
    Tail tail = Tail.of(this, pointer.get(), owner::nanoTime);
    // Who attached has begun before the answer; who sent a repeat may have begun behind it.
    if (terms.tenant().isPresent() || !tail.partition().equals(source)) {
      isRedirected = true;
      source = tail.partition();
      fold = ReplyFold.fromAnywhere();
      owner.follow(tail);
    }
  }

  private void finish(ReplyEvent.Terminal end) {
    owner.ended(this);
    // Callers' code hangs on the future: it must not run on the thread that reads Kafka.
    owner.executor().execute(() -> LiveAnswer.settle(end, answer));
  }
}
