package io.sluice.worker.testing;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyKind;
import io.sluice.worker.reply.PartialReply;
import io.sluice.worker.reply.ReplyLog;
import io.sluice.worker.reply.ReplyRecord;
import io.sluice.worker.reply.ReplyScan;
import io.sluice.worker.reply.ReplyTooLargeException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;

/** One reply partition and all outcomes, in memory; acknowledges at once unless told otherwise. */
public final class MemoryLog implements ReplyLog, ReplyScan {
  private final List<ReplyRecord> records = new ArrayList<>();
  private final List<Outcome> outcomes = new ArrayList<>();
  private Predicate<ReplyRecord> refused = record -> false;
  private int mostBytes = Integer.MAX_VALUE;
  private volatile CompletableFuture<?> written = CompletableFuture.completedFuture(null);
  private Runnable beforeClaim = () -> {};
  private volatile Runnable beforeFold = () -> {};
  private volatile int scanStart;
  private volatile boolean isCut;
  private volatile Function<Outcome, CompletableFuture<Long>> afterOutcome =
      outcome -> CompletableFuture.completedFuture(0L);

  @Override
  public synchronized CompletableFuture<Long> append(ReplyRecord record) {
    if (record.headers().kind() == ReplyKind.CLAIM) {
      beforeClaim.run();
    }
    if (refused.test(record)) {
      return CompletableFuture.failedFuture(new IllegalStateException("the broker is away"));
    }
    if (record.value().length > mostBytes) {
      String topic = record.address().topic();
      return CompletableFuture.failedFuture(
          new ReplyTooLargeException(topic, record.value().length, new IOException("too large")));
    }
    records.add(record);
    long offset = records.size() - 1L;
    return written.thenApply(any -> offset);
  }

  @Override
  public CompletableFuture<Long> report(int requestPartition, Outcome outcome) {
    synchronized (this) {
      outcomes.add(outcome);
    }
    return afterOutcome.apply(outcome);
  }

  @Override
  public synchronized void progress(
      int requestPartition, LeaseRef lease, Outcome.Progress progress) {
    outcomes.add(new Outcome(lease, progress));
  }

  @Override
  public Session open(Query query) {
    return new MemorySession(query);
  }

  /** Appends something that another worker wrote. */
  public synchronized void wrote(ReplyHeaders headers, String value) {
    records.add(
        new ReplyRecord(
            new ReplyAddress("sluice.replies", 0),
            headers,
            Optional.empty(),
            value.getBytes(StandardCharsets.UTF_8)));
  }

  /** Such records cannot be written from now on. */
  public synchronized void refuse(Predicate<ReplyRecord> which) {
    refused = which;
  }

  /** Larger records cannot be written from now on. */
  public synchronized void takesAtMost(int bytes) {
    mostBytes = bytes;
  }

  /** Records are acknowledged from now on only when this is done. */
  public void acknowledgesAfter(CompletableFuture<?> event) {
    written = event;
  }

  /** Happens just before a claim gets into the log. */
  public synchronized void beforeClaim(Runnable event) {
    beforeClaim = event;
  }

  /** When outcomes are in the log for good. */
  public void acknowledgesOutcomes(Function<Outcome, CompletableFuture<Long>> when) {
    afterOutcome = when;
  }

  /** From now on scans begin there, as they may where brokers disagree about the time. */
  public void scansFrom(int offset) {
    scanStart = offset;
  }

  /** Records may have been deleted from the log's beginning. */
  public void isCut() {
    isCut = true;
  }

  /** Such records have never got into the log, though later ones have. */
  public synchronized void lost(Predicate<ReplyRecord> which) {
    records.removeIf(which);
  }

  /** Happens whenever somebody begins to read the log. */
  public void beforeFold(Runnable event) {
    beforeFold = event;
  }

  public synchronized List<ReplyRecord> records() {
    return List.copyOf(records);
  }

  /** Records of one lease. */
  public List<ReplyRecord> of(String lease) {
    return records().stream().filter(record -> record.headers().lease().equals(lease)).toList();
  }

  public synchronized List<Outcome.Event> events() {
    return outcomes.stream().map(Outcome::event).toList();
  }

  public synchronized Outcome.Event lastEvent() {
    return outcomes.getLast().event();
  }

  private final class MemorySession implements Session {
    private final Query query;
    private final PartialReply reply = new PartialReply();
    private int position = scanStart;

    MemorySession(Query query) {
      this.query = query;
      reply.begin(!isCut);
    }

    @Override
    public void foldToEnd(Duration atMost) {
      fold(records().size());
    }

    @Override
    public void foldThrough(long offset, Duration atMost) {
      fold((int) offset + 1);
    }

    @Override
    public PartialReply reply() {
      return reply;
    }

    private void fold(int end) {
      beforeFold.run();
      for (; position < end; position++) {
        ReplyRecord record = records().get(position);
        if (record.headers().requestId().equals(query.requestId())) {
          reply.next(record.headers(), record.value());
        }
      }
    }
  }
}
