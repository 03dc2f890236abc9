package io.sluice.worker.generation;

import io.sluice.common.openai.JsonSizes;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The heap that the requests of a worker hold: their bodies, and the answers that are not streamed.
 * Bodies may have half of it. Thread-safe.
 */
public final class HeldMemory {
  private static final int HEAP_SHARE = 2;

  /** Answers below this size stay when there is too little: they give back hardly anything. */
  private static final long LARGE_BYTES = 256 * 1024;

  /** Twice what a record may have, because the size of an answer is estimated. */
  private static final long MOST_ANSWER_BYTES = 2L * 9 * 1024 * 1024;

  private final long most;
  private final AtomicLong held = new AtomicLong();

  private HeldMemory(long most) {
    this.most = most;
  }

  /** Returns a memory of half of this process's heap. */
  public static HeldMemory ofHeap() {
    return of(Runtime.getRuntime().maxMemory() / HEAP_SHARE);
  }

  /** Returns a memory of this many bytes. */
  public static HeldMemory of(long bytes) {
    return new HeldMemory(bytes);
  }

  /**
   * Begins a request, which holds its body until it ends. One that is larger than a quarter of the
   * memory has room as soon as others hold no more than that, so that it does not wait for ever. To
   * be called by one thread at a time.
   *
   * @return empty if there is no room
   */
  public Optional<Part> tryBegin(byte[] body) {
    long weight = body.length + JsonSizes.ofTree(body);
    if (held.get() + Math.min(weight, most / 4) > most / 2) {
      return Optional.empty();
    }
    Part part = new Part();
    part.add(weight);
    return Optional.of(part);
  }

  /** Returns whether a request of some size would hardly find room. */
  boolean isNearlyFull() {
    return held.get() > most / 8 * 3;
  }

  /** Returns the bytes that are held. */
  long bytes() {
    return held.get();
  }

  /** What one request holds: its body as it came and as a tree, and its answer. For one thread. */
  public final class Part implements AutoCloseable {
    private long own;
    private long answer;

    /** Adds a piece of the answer. */
    void answered(long bytes) {
      add(bytes);
      answer += bytes;
    }

    /** Returns whether the answer is certainly larger than a record may be. */
    boolean isAnswerTooLarge() {
      return answer > MOST_ANSWER_BYTES;
    }

    /** Returns whether the answer has to go, because all requests together hold too much. */
    boolean mustLeave() {
      return answer >= LARGE_BYTES && held.get() > most;
    }

    private void add(long bytes) {
      held.addAndGet(bytes);
      own += bytes;
    }

    @Override
    public void close() {
      held.addAndGet(-own);
      own = 0;
    }
  }
}
