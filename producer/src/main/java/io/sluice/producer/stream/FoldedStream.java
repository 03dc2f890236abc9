package io.sluice.producer.stream;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.reply.ReplyFold;
import io.sluice.common.reply.ReplyFold.Verdict;
import io.sluice.common.reply.ReplyKind;
import io.sluice.common.reply.ReplyPointer;
import io.sluice.producer.follow.ReplyRecord;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.producer.stream.StreamTerms.OverdueEnd;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one request, folded from its records as they arrive. Those who send or follow the
 * request pass on its records, and end the stream if there are none. Thread-safe.
 */
public final class FoldedStream implements ReplyStream {
  private final StreamTerms terms;
  private final StreamOwner owner;
  private final CompletableFuture<Answer> answer = new CompletableFuture<>();
  private final SingleSend cancelling = new SingleSend();
  private final ReaderView view;

  private final ReentrantLock lock = new ReentrantLock();
  private final LiveAnswer live;
  private final TenantGate gate;
  private TopicPartition source;
  private ReplyFold fold;
  private final StreamExpiry expiry;
  private long tokensRead;

  /** Whether Kafka has the request, as far as this client knows. */
  private volatile boolean isAccepted;

  /**
   * Whether a pointer was followed. An answer found through a pointer cannot lead to another one.
   */
  private volatile boolean isRedirected;

  private boolean isCaughtUp;
  private ReplyEvent.@Nullable Terminal terminal;
  private OptionalLong endOffset = OptionalLong.empty();

  /**
   * Creates a stream without events.
   *
   * @param source the partition of its records
   * @param live what makes events of them
   * @param expiryNanos when the client ends the stream if the pool does not
   */
  public FoldedStream(
      StreamTerms terms,
      TopicPartition source,
      LiveAnswer live,
      long expiryNanos,
      StreamOwner owner) {
    this.terms = terms;
    this.fold = terms.fold();
    this.source = source;
    this.live = live;
    this.gate = new TenantGate(terms.onlyOf());
    this.expiry = new StreamExpiry(terms.overdueEnd(), expiryNanos);
    this.isAccepted = !terms.isSentHere();
    this.owner = owner;
    this.view = new ReaderView(terms, lock, owner, this::readerLeft);
  }

  @Override
  public String requestId() {
    return terms.requestId();
  }

  /** Returns for whom the stream is read; empty if that is not known. */
  String reader() {
    return terms.reader();
  }

  @Override
  public Optional<ReplyEvent> next(Duration timeout) throws InterruptedException, TimeoutException {
    return view.buffer().next(timeout);
  }

  @Override
  public void subscribe(Flow.Subscriber<? super ReplyEvent> subscriber) {
    view.buffer().subscribe(subscriber);
  }

  @Override
  public CompletableFuture<Answer> answer() {
    return answer.copy();
  }

  @Override
  public void cancel() {
    var _ = tryCancel();
  }

  /**
   * Cancels like {@link #cancel}. Completes when Kafka has accepted the message, also for repeated
   * calls.
   */
  public CompletableFuture<Void> tryCancel() {
    return isEnded()
        ? CompletableFuture.completedFuture(null)
        : cancelling.send(() -> owner.cancel(this));
  }

  @Override
  public void discardEvents() {
    view.discard();
  }

  @Override
  public void close() {
    readerLeft();
    discardEvents();
    if (!terms.isCancelledOnClose()) {
      fail(ErrorKind.UNAVAILABLE, "the reader closed the stream; the request continues");
    }
  }

  private void readerLeft() {
    if (terms.isCancelledOnClose()) {
      cancel();
    }
  }

  @Override
  public boolean isCaughtUp() {
    lock.lock();
    try {
      return isCaughtUp && !view.isDetached();
    } finally {
      lock.unlock();
    }
  }

  /** Everything that the log held when the stream was attached has been accepted. */
  void caughtUp() {
    lock.lock();
    try {
      isCaughtUp = true;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean isAccepted() {
    return isAccepted;
  }

  /** Kafka has accepted the request. */
  public void accepted() {
    isAccepted = true;
  }

  @Override
  public OptionalLong endOffset() {
    lock.lock();
    try {
      return isRedirected ? OptionalLong.empty() : endOffset;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long tokensRead() {
    lock.lock();
    try {
      return tokensRead;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether the request ends with its reader. */
  public boolean isCancelledOnClose() {
    return terms.isCancelledOnClose();
  }

  /** Returns whether the last event is known. */
  public boolean isEnded() {
    lock.lock();
    try {
      return terminal != null;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the partition of the request, if this client sent it. */
  public OptionalInt requestPartition() {
    return terms.requestPartition();
  }

  /** Postpones the end by the client itself. */
  public void expireNotBefore(long nanos) {
    lock.lock();
    try {
      expiry.notBefore(nanos);
    } finally {
      lock.unlock();
    }
  }

  /** Kafka has accepted the cancellation: the client's own end is moved forward. */
  public void expireCancelledBy(long nanos) {
    lock.lock();
    try {
      expiry.cancelledBy(nanos);
    } finally {
      lock.unlock();
    }
  }

  /** Ends the stream if its time is over and the pool has not answered. */
  public void expire(long nowNanos) {
    Optional<OverdueEnd> end;
    lock.lock();
    try {
      end = expiry.endAt(nowNanos);
    } finally {
      lock.unlock();
    }
    end.ifPresent(its -> fail(its.kind(), its.message()));
  }

  /** Ends the stream with an error that the client detected; has no effect after its end. */
  public void fail(ErrorKind kind, String message) {
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

  /** Receives a new record like {@link #accept}, unless the stream is read elsewhere. */
  public void acceptLive(ReplyRecord record) {
    if (!isRedirected) {
      accept(record);
    }
  }

  /** Receives the next record of this request from the log. */
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
      if (!gate.admits(record.headers())) {
        return;
      }
      expiry.heard();
      if (isOfRepeat(record)) {
        followPointer(record);
        return;
      }
      ReplyFold before = fold;
      ReplyFold.Step step = before.next(record.headers());
      fold = step.fold();
      if (step.verdict() instanceof Verdict.Appended appended) {
        tokensRead += appended.count();
      }
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

  /**
   * Returns whether the record tells the sender that its request is a repeat. While it holds no
   * tokens, what it has heard of the answer began in the middle, if anything.
   */
  private boolean isOfRepeat(ReplyRecord record) {
    return record.headers().kind() == ReplyKind.POINTER && terms.isSentHere() && fold.tokens() == 0;
  }

  private List<ReplyEvent> liveEvents(Verdict verdict, ReplyRecord record) {
    if (verdict instanceof Verdict.Pointer) {
      followPointer(record);
    }
    List<ReplyEvent> events = live.next(verdict, record);
    if (!events.isEmpty() && events.getLast() instanceof ReplyEvent.Terminal end) {
      terminal = end;
      endOffset = OptionalLong.of(record.offset());
    }
    return events;
  }

  private void followPointer(ReplyRecord record) {
    Optional<ReplyPointer> pointer = ReplyPointer.parse(record.bytes());
    if (pointer.isEmpty() || isRedirected) {
      return;
    }
    Tail tail = Tail.of(this, pointer.get(), owner::nanoTime);
    // A reader that attached started before the answer. The sender of a repeat may have started
    // after its beginning.
    if (terms.isSentHere() || !tail.partition().equals(source)) {
      isRedirected = true;
      source = tail.partition();
      fold = ReplyFold.fromAnywhere();
      owner.follow(tail);
    }
  }

  private void finish(ReplyEvent.Terminal end) {
    owner.ended(this);
    // Callers' code may be attached to the future: it must not run on the thread that reads Kafka.
    owner.executor().execute(() -> LiveAnswer.settle(end, answer));
  }
}
