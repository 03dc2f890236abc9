package io.sluice.standalone.verify;

import com.sun.net.httpserver.HttpExchange;
import io.sluice.common.protocol.Endpoint;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.RequestFailedException;
import io.sluice.standalone.verify.pool.CuttingProxy;
import io.sluice.standalone.verify.pool.Finding;
import io.sluice.standalone.verify.pool.PoolWatch;
import io.sluice.standalone.verify.pool.PoolWatch.Seen;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

/**
 * Checks that a stream survives what may happen to the only engine in its middle: the engine no
 * longer accepts its worker's key, is too busy to tokenize, or is gone for a while. For one thread.
 */
final class TroubleChecks {
  /** Long enough for the trouble to begin before the end, also with a fast engine. */
  private static final int MOST_OUTPUT = 1_000;

  private static final int TOKENS_BEFORE = 20;

  /** A stream may end before its trouble begins. */
  private static final int TRIES = 3;

  private static final Duration LASTS = Duration.ofSeconds(3);
  private static final Duration BUSY = Duration.ofSeconds(10);

  /** Far longer than it should take, so that a busy machine does not fail the check. */
  private static final Duration SOON = Duration.ofSeconds(30);

  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final byte[] UNAUTHORIZED =
      "{\"error\":\"Unauthorized\"}".getBytes(StandardCharsets.UTF_8);

  private final SluiceClient client;
  private final CuttingProxy proxy;
  private final PoolWatch watch;
  private final byte[] body;

  /** Something that happens to the engine. */
  @FunctionalInterface
  private interface Step {
    void run() throws IOException, InterruptedException;
  }

  /** Something that happens to the engine while a stream is in progress. */
  @FunctionalInterface
  private interface Trouble {
    /**
     * Has it happen.
     *
     * @return what was seen until the stream continued
     */
    Finding happen(WatchedStream stream) throws IOException, InterruptedException;
  }

  /**
   * Creates checks of a pool whose only worker uses the proxy.
   *
   * @param context of the engine in tokens; 0 if that is not known
   */
  TroubleChecks(
      SluiceClient client, CuttingProxy proxy, PoolWatch watch, String model, int context) {
    this.client = client;
    this.proxy = proxy;
    this.watch = watch;
    this.body =
        """
        {"model":"%s","messages":[{"role":"user","content":"Tell me of the sea."}],"temperature":0,
         "ignore_eos":true,"return_token_ids":true,"max_tokens":%d,"stream":true}"""
            .formatted(model, context == 0 ? MOST_OUTPUT : Math.min(MOST_OUTPUT, context / 2))
            .getBytes(StandardCharsets.UTF_8);
  }

  /** Runs all checks; reports each finding with its name. */
  void run(BiConsumer<String, Finding> findings) throws IOException, InterruptedException {
    Answer expected;
    try (WatchedStream whole = open()) {
      expected = whole.answer(PATIENCE);
    } catch (ExecutionException e) {
      findings.accept("an engine in trouble", unanswered(e));
      return;
    } catch (TimeoutException e) {
      findings.accept(
          "an engine in trouble",
          Finding.broken("expected an answer within %d s".formatted(PATIENCE.toSeconds())));
      return;
    }
    findings.accept("slow /tokenize", during(this::slowTokenize, expected));
    findings.accept(
        "refused key", during(stream -> whileDown(stream, this::refuseKey, proxy::calm), expected));
    findings.accept(
        "engine gone",
        during(stream -> whileDown(stream, proxy::goAway, proxy::comeBack), expected));
  }

  /** An engine may refuse the request; then nothing can be checked. */
  static Finding unanswered(ExecutionException e) {
    boolean isRefused =
        e.getCause() instanceof RequestFailedException failed
            && MatrixResult.unanswered(failed.failure().kind()) == MatrixResult.Verdict.REFUSED;
    return isRefused
        ? Finding.skipped("the engine refuses a chat: " + e.getCause())
        : Finding.broken("expected an answer to a chat; it ended with: " + e.getCause());
  }

  /** Has a trouble happen in the middle of a stream, and compares the answer. */
  private Finding during(Trouble trouble, Answer expected)
      throws IOException, InterruptedException {
    for (int attempt = 0; attempt < TRIES; attempt++) {
      try (WatchedStream stream = open()) {
        PoolWatch.becomesTrue(() -> stream.tokens() >= TOKENS_BEFORE || stream.isEnded(), PATIENCE);
        if (!stream.isEnded()) {
          Finding seen = trouble.happen(stream);
          return seen.isKept() ? judged(seen, stream.answer(PATIENCE), expected) : seen;
        }
      } catch (ExecutionException e) {
        return Finding.broken("expected the stream to survive; it ended with: " + e.getCause());
      } catch (TimeoutException e) {
        return Finding.broken(
            "expected the stream to survive; it had not ended after %d s"
                .formatted(PATIENCE.toSeconds()));
      }
    }
    return Finding.skipped("streams end too soon with this engine, %d times".formatted(TRIES));
  }

  private Finding judged(Finding seen, Answer answer, Answer expected)
      throws InterruptedException, ExecutionException, TimeoutException {
    Optional<String> difference = AnswerDifference.between(expected, answer);
    if (difference.isEmpty()) {
      return Finding.kept(
          "%s; the answer is the uninterrupted one, after %d attempts"
              .formatted(seen.text(), answer.attempts()));
    }
    try (WatchedStream again = open()) {
      return AnswerDifference.between(expected, again.answer(PATIENCE)).isPresent()
          ? Finding.skipped("the engine does not repeat its answers")
          : Finding.broken(
              "expected the uninterrupted answer; %s; %s".formatted(difference.get(), seen.text()));
    }
  }

  /** The connection breaks, and the engine takes long to tell the tokens of the prompt. */
  private Finding slowTokenize(WatchedStream stream) throws InterruptedException {
    var held = new AtomicInteger();
    int tokens = stream.tokens();
    int discarded = stream.discarded();
    proxy.disturb(
        exchange -> {
          boolean isQuestion = exchange.getRequestURI().getPath().endsWith("tokenize");
          if (isQuestion && held.getAndIncrement() == 0) {
            TimeUnit.NANOSECONDS.sleep(BUSY.toNanos());
          }
          return false;
        });
    try {
      proxy.breakStreams();
      PoolWatch.becomesTrue(() -> held.get() > 0 || stream.isEnded(), SOON);
      PoolWatch.becomesTrue(stream::isEnded, PATIENCE);
    } finally {
      proxy.calm();
    }
    if (held.get() == 0) {
      return Finding.skipped("workers do not ask this engine for tokens");
    }
    return stream.discarded() > discarded
        ? Finding.broken(
            "expected the stream to keep its %d tokens; it began again".formatted(tokens))
        : Finding.kept(
            "the stream went on by its token ids although the engine took %d s to tokenize"
                .formatted(BUSY.toSeconds()));
  }

  private void refuseKey() {
    proxy.disturb(TroubleChecks::refuses);
    proxy.breakStreams();
  }

  /** Answers like a vLLM that requires another key. */
  private static boolean refuses(HttpExchange exchange) throws IOException {
    boolean isRefused = exchange.getRequestURI().getPath().startsWith("/v1/");
    if (isRefused) {
      exchange.getRequestBody().readAllBytes();
      exchange.getResponseHeaders().set("content-type", "application/json");
      exchange.sendResponseHeaders(401, UNAUTHORIZED.length);
      exchange.getResponseBody().write(UNAUTHORIZED);
    }
    return isRefused;
  }

  /** The engine does not work for a while. */
  private Finding whileDown(WatchedStream stream, Step begin, Step end)
      throws IOException, InterruptedException {
    PoolWatch.becomesTrue(() -> latest().filter(told -> told.running() > 0).isPresent(), LASTS);
    int discarded = stream.discarded();
    String load = latest().map(TroubleChecks::load).orElse("unknown");
    long beganNanos = System.nanoTime();
    long downMillis;
    begin.run();
    try {
      if (!PoolWatch.becomesTrue(
          () -> latest().filter(told -> !told.engineUp()).isPresent(), SOON)) {
        return Finding.broken("expected the engine to be noticed as down within " + SOON);
      }
      downMillis = millisSince(beganNanos);
      TimeUnit.NANOSECONDS.sleep(LASTS.toNanos());
      WorkerSnapshot told = latest().orElseThrow();
      if (told.engineUp() || isLoaded(told)) {
        return Finding.broken(
            "expected a snapshot with the engine down and no load; it is up: %b, with %s"
                .formatted(told.engineUp(), load(told)));
      }
      if (stream.discarded() > discarded || stream.isEnded()) {
        return Finding.broken(
            "expected the stream to keep its tokens until the engine is back; it %s"
                .formatted(stream.isEnded() ? "ended" : "began again"));
      }
    } finally {
      end.run();
    }
    int tokens = stream.tokens();
    int records = stream.records();
    long backNanos = System.nanoTime();
    if (!PoolWatch.becomesTrue(() -> stream.records() > records || stream.isEnded(), SOON)) {
      return Finding.broken(
          "expected the stream to continue within %d s of the engine's return"
              .formatted(SOON.toSeconds()));
    }
    return Finding.kept(
        "down after %d ms, and the load in its snapshot, %s, was unknown then; the stream kept %d tokens and %s %d ms after the engine's return"
            .formatted(
                downMillis,
                load,
                tokens,
                stream.discarded() > discarded ? "began again" : "went on",
                millisSince(backNanos)));
  }

  private Optional<WorkerSnapshot> latest() {
    List<Seen<WorkerSnapshot>> told = watch.told();
    return told.isEmpty() ? Optional.empty() : Optional.of(told.getLast().what());
  }

  private static boolean isLoaded(WorkerSnapshot told) {
    return told.running() + told.waiting() > 0 || told.kvUsage().isPresent();
  }

  private static String load(WorkerSnapshot told) {
    return "%d running, %d waiting, KV cache %s"
        .formatted(
            told.running(),
            told.waiting(),
            told.kvUsage().isPresent()
                ? "%.1f%%".formatted(told.kvUsage().getAsDouble() * 100)
                : "unknown");
  }

  private static long millisSince(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
  }

  private WatchedStream open() {
    return new WatchedStream(
        client.submit(InferenceRequest.of(Endpoint.CHAT_COMPLETIONS, body).build()));
  }
}
