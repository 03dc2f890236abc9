package io.sluice.standalone.verify;

import io.sluice.common.protocol.Endpoint;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.standalone.verify.pool.EngineFigures;
import io.sluice.standalone.verify.pool.Finding;
import io.sluice.verify.http.EngineClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;

/**
 * How soon an engine frees a stream that is cancelled, or whose deadline passes: the request and
 * the blocks of its KV cache. For one thread, and an engine with nothing else to do.
 */
final class ReleaseCheck {
  private static final int TIMES = 5;
  private static final int MANY_TOKENS = 1_500;
  private static final Duration DEADLINE = Duration.ofSeconds(1);
  private static final Duration FIRST_WITHIN = Duration.ofSeconds(30);
  private static final Duration LOOK_EVERY = Duration.ofMillis(10);

  /** A stream that the engine holds for longer counts as never freed. */
  private static final Duration GIVE_UP_AFTER = Duration.ofSeconds(10);

  /** Two values of the KV cache usage that stand for the same number of blocks. */
  private static final double SAME_USAGE = 1e-6;

  private final SluiceClient client;
  private final EngineClient engine;
  private final String model;
  private double highestUsage;
  private Release.Delays delays = Release.Delays.NONE;

  /** Creates a check of a pool over one engine, whose metrics are read. */
  ReleaseCheck(SluiceClient client, EngineClient engine, String model) {
    this.client = client;
    this.engine = engine;
    this.model = model;
  }

  /** Has streams ended for each cause; reports each finding with its name. */
  void run(BiConsumer<String, Finding> findings) throws InterruptedException {
    for (Release.Cause cause : Release.Cause.values()) {
      findings.accept(
          cause.name().toLowerCase(Locale.ROOT),
          EngineFigures.ask(engine).isPresent()
              ? run(cause).finding()
              : Finding.skipped("the engine's metrics do not show when streams are dropped"));
    }
  }

  private Release run(Release.Cause cause) throws InterruptedException {
    List<Duration> took = new ArrayList<>();
    int kept = 0;
    highestUsage = 0;
    delays = Release.Delays.NONE;
    for (int n = 0; n < TIMES; n++) {
      EngineFigures idle = awaitIdle();
      long beganNanos = System.nanoTime();
      try (ReplyStream stream = client.submit(lengthy(n, cause))) {
        long appendedNanos = awaitTokens(stream, beganNanos);
        delays = delays.withAppend(Duration.ofNanos(appendedNanos - beganNanos));
        long endNanos = end(stream, cause, beganNanos);
        if (!isFreed(idle)) {
          Optional<Duration> time = awaitFreed(idle, endNanos);
          time.ifPresent(took::add);
          kept += time.isEmpty() ? 1 : 0;
        }
      }
    }
    return new Release(cause, took, kept, highestUsage, delays);
  }

  /**
   * Ends the stream, or waits until its time may be over; returns when that was. Its deadline
   * counts from its append, which a busy machine notices so late that the engine has freed the
   * stream before it is looked at. So it is counted from the sending, which is surely not later.
   */
  private static long end(ReplyStream stream, Release.Cause cause, long beganNanos)
      throws InterruptedException {
    if (cause == Release.Cause.CANCELLED) {
      stream.cancel();
      return System.nanoTime();
    }
    long endNanos = beganNanos + DEADLINE.toNanos();
    TimeUnit.NANOSECONDS.sleep(endNanos - System.nanoTime());
    return endNanos;
  }

  private InferenceRequest lengthy(int number, Release.Cause cause) {
    String body =
        """
        {"model":"%s","prompt":"Count from %d on:","max_tokens":%d,"ignore_eos":true,\
        "temperature":0,"stream":true}"""
            .formatted(model, number, MANY_TOKENS);
    InferenceRequest.Builder request =
        InferenceRequest.of(Endpoint.COMPLETIONS, body.getBytes(StandardCharsets.UTF_8));
    return cause == Release.Cause.EXPIRED ? request.timeout(DEADLINE).build() : request.build();
  }

  /** Waits for tokens; returns when the request was appended, from where its deadline counts. */
  private static long awaitTokens(ReplyStream stream, long beganNanos) throws InterruptedException {
    try {
      while (true) {
        Optional<ReplyEvent> event = stream.next(FIRST_WITHIN);
        if (event.orElse(null) instanceof ReplyEvent.Tokens tokens) {
          long latencyMillis = tokens.latencyMillis().orElse(0);
          return Math.max(
              beganNanos, System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(latencyMillis));
        }
        if (event.isEmpty() || event.get() instanceof ReplyEvent.Terminal) {
          return beganNanos;
        }
      }
    } catch (TimeoutException e) {
      throw new IllegalStateException(
          "no token arrived within "
              + FIRST_WITHIN.toSeconds()
              + " s; check whether the engine is busy",
          e);
    }
  }

  /** Waits until nothing of what was asked before is left in the engine. */
  private EngineFigures awaitIdle() throws InterruptedException {
    long beganNanos = System.nanoTime();
    while (System.nanoTime() - beganNanos < GIVE_UP_AFTER.toNanos()) {
      Optional<EngineFigures> figures = EngineFigures.ask(engine).filter(EngineFigures::isIdle);
      if (figures.isPresent()) {
        return figures.get();
      }
      TimeUnit.NANOSECONDS.sleep(LOOK_EVERY.toNanos());
    }
    throw new IllegalStateException(
        "the engine was not idle within %d s; does somebody else use it?"
            .formatted(GIVE_UP_AFTER.toSeconds()));
  }

  /**
   * Returns the time from a moment until the engine has freed a stream; empty if it never does.
   * While the engine or the machine stands still and gives no figures, nothing can be seen, so that
   * time does not count towards giving up.
   */
  private Optional<Duration> awaitFreed(EngineFigures idle, long fromNanos)
      throws InterruptedException {
    long giveUpNanos = fromNanos + GIVE_UP_AFTER.toNanos();
    while (System.nanoTime() - giveUpNanos < 0) {
      long lookedNanos = System.nanoTime();
      boolean isFreed = isFreed(idle);
      giveUpNanos += System.nanoTime() - lookedNanos;
      if (isFreed) {
        return Optional.of(Duration.ofNanos(Math.max(0, System.nanoTime() - fromNanos)));
      }
      TimeUnit.NANOSECONDS.sleep(LOOK_EVERY.toNanos());
    }
    return Optional.empty();
  }

  private boolean isFreed(EngineFigures idle) {
    long beganNanos = System.nanoTime();
    Optional<EngineFigures> now = EngineFigures.ask(engine);
    delays = delays.withLook(Duration.ofNanos(System.nanoTime() - beganNanos));
    now.ifPresent(figures -> highestUsage = Math.max(highestUsage, figures.kvUsage()));
    return now.isPresent() && isFreed(idle, now.get());
  }

  /** Returns whether an engine holds neither a request nor more blocks than when it was idle. */
  static boolean isFreed(EngineFigures idle, EngineFigures now) {
    return now.isIdle() && now.kvUsage() <= idle.kvUsage() + SAME_USAGE;
  }
}
