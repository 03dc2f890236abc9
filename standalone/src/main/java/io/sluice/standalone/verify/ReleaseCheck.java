package io.sluice.standalone.verify;

import io.sluice.common.protocol.Endpoint;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.ReplyEvent;
import io.sluice.producer.client.ReplyStream;
import io.sluice.producer.client.SluiceClient;
import io.sluice.verify.http.EngineClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * How soon an engine is rid of a stream that is cancelled, or whose deadline passes. For one
 * thread, and an engine with nothing else to do.
 */
final class ReleaseCheck {
  private static final int TIMES = 5;
  private static final int MANY_TOKENS = 1_500;
  private static final Duration DEADLINE = Duration.ofSeconds(1);
  private static final Duration FIRST_WITHIN = Duration.ofSeconds(30);
  private static final Duration LOOK_EVERY = Duration.ofMillis(10);

  /** Far more than it should take, so that a busy machine is no broken promise. */
  private static final Duration FREE_WITHIN = Duration.ofSeconds(10);

  /** Why an engine is rid of a stream. */
  enum Cause {
    CANCELLED("a cancelled stream"),
    EXPIRED("a stream past its deadline");

    private final String shown;

    Cause(String shown) {
      this.shown = shown;
    }
  }

  /**
   * What was seen.
   *
   * @param took how long the engine still had it, of each that it had at all
   * @param kept how many it had for longer than anybody waited
   */
  record Release(Cause cause, List<Duration> took, int kept) {
    Release {
      took = took.stream().sorted().toList();
    }

    @Override
    public String toString() {
      if (took.isEmpty()) {
        return "the engine had %s: %s".formatted(cause.shown, kept > 0 ? "for ever" : "never");
      }
      return "the engine had %s for another %d ms (%d to %d, %d times)%s"
          .formatted(
              cause.shown,
              took.get(took.size() / 2).toMillis(),
              took.getFirst().toMillis(),
              took.getLast().toMillis(),
              took.size(),
              kept > 0 ? ", and " + kept + " times for ever" : "");
    }
  }

  private final SluiceClient client;
  private final EngineClient engine;
  private final String model;

  /** A check of a pool over one engine, whose metrics are read. */
  ReleaseCheck(SluiceClient client, EngineClient engine, String model) {
    this.client = client;
    this.engine = engine;
    this.model = model;
  }

  /** Whether the engine tells what it has. */
  boolean isPossible() {
    return EngineFigures.ask(engine).isPresent();
  }

  /** Has some streams ended. */
  Release run(Cause cause) throws InterruptedException {
    List<Duration> took = new ArrayList<>();
    int kept = 0;
    for (int n = 0; n < TIMES; n++) {
      long beganNanos = System.nanoTime();
      try (ReplyStream stream = client.submit(lengthy(n, cause))) {
        awaitTokens(stream);
        long endNanos = end(stream, cause, beganNanos);
        if (!isIdle()) {
          OptionalDouble seconds = awaitIdle(endNanos);
          seconds.ifPresent(time -> took.add(Duration.ofNanos((long) (time * 1e9))));
          kept += seconds.isEmpty() ? 1 : 0;
        }
      }
    }
    return new Release(cause, took, kept);
  }

  /** Ends the stream, or waits until its time is over; returns when that was. */
  private static long end(ReplyStream stream, Cause cause, long beganNanos)
      throws InterruptedException {
    if (cause == Cause.CANCELLED) {
      stream.cancel();
      return System.nanoTime();
    }
    long endNanos = beganNanos + DEADLINE.toNanos();
    TimeUnit.NANOSECONDS.sleep(endNanos - System.nanoTime());
    return endNanos;
  }

  private InferenceRequest lengthy(int number, Cause cause) {
    String body =
        """
        {"model":"%s","prompt":"Count from %d on:","max_tokens":%d,"ignore_eos":true,\
        "temperature":0,"stream":true}"""
            .formatted(model, number, MANY_TOKENS);
    InferenceRequest.Builder request =
        InferenceRequest.of(Endpoint.COMPLETIONS, body.getBytes(StandardCharsets.UTF_8));
    return cause == Cause.EXPIRED ? request.timeout(DEADLINE).build() : request.build();
  }

  private static void awaitTokens(ReplyStream stream) throws InterruptedException {
    try {
      while (stream.next(FIRST_WITHIN).filter(ReleaseCheck::isBeforeTokens).isPresent()) {
        // It is on its way.
      }
    } catch (TimeoutException e) {
      throw new IllegalStateException(
          "no token came within " + FIRST_WITHIN.toSeconds() + " s; is the engine busy?", e);
    }
  }

  private static boolean isBeforeTokens(ReplyEvent event) {
    return !(event instanceof ReplyEvent.Tokens) && !(event instanceof ReplyEvent.Terminal);
  }

  /** Seconds from a moment until the engine has nothing; empty if that takes for ever. */
  private OptionalDouble awaitIdle(long fromNanos) throws InterruptedException {
    while (System.nanoTime() - fromNanos < FREE_WITHIN.toNanos()) {
      if (isIdle()) {
        return OptionalDouble.of(Math.max(0, (System.nanoTime() - fromNanos) / 1e9));
      }
      TimeUnit.NANOSECONDS.sleep(LOOK_EVERY.toNanos());
    }
    return OptionalDouble.empty();
  }

  private boolean isIdle() {
    return EngineFigures.ask(engine).map(EngineFigures::isIdle).orElse(false);
  }
}
