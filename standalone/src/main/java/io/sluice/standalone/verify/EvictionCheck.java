package io.sluice.standalone.verify;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.BulkLimits;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Priority;
import io.sluice.producer.client.Answer;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.SluiceClient;
import io.sluice.simulator.fit.MetricsPage;
import io.sluice.simulator.fit.Prompts;
import io.sluice.verify.http.EngineClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/**
 * Checks whether bulk requests that fill an engine are evicted for interactive ones, and whether
 * their answers are still the uninterrupted ones. For one thread.
 */
final class EvictionCheck {
  /** The size of all bulk requests together, in KV caches. */
  private static final double BULK = 1.3;

  /** Four such prompts may be admitted; with their output they exceed the cache. */
  private static final double PROMPT_OF_A_SHARE = 0.52;

  private static final double OUTPUT_OF_A_SHARE = 0.35;
  private static final int MOST_OUTPUT = 704;

  /**
   * The share of the cache in use when the interactive requests arrive: one of them is too much
   * then.
   */
  private static final double FULL = 0.68;

  private static final int INTERACTIVE = 3;

  /** On a machine that is slower than its engine, the worker may miss the first rounds. */
  private static final int ROUNDS = 5;

  /**
   * Bulk may have finished by itself before the engine was seen full, or just when the other
   * requests arrived.
   */
  private static final int ATTEMPTS = 3;

  private static final double NEEDED_BY_EACH = 0.15;

  /**
   * Even a fast engine needs longer for this output than the worker's interval between two scrapes.
   */
  private static final int INTERACTIVE_OUTPUT = 128;

  /** The number of uninterrupted answers requested at once: they fit into the cache together. */
  private static final int AT_ONCE = 3;

  /** Longer than an engine takes for the last tokens, with which bulk is not evicted. */
  private static final Duration NEARLY_DONE = Duration.ofSeconds(2);

  private static final Duration FULL_WITHIN = Duration.ofSeconds(90);
  private static final Duration ANSWERED_WITHIN = Duration.ofMinutes(3);

  /** Far longer than it should take, so that a busy machine does not fail the check. */
  private static final Duration SOON = Duration.ofSeconds(30);

  /** The worker had no reason to evict anything. */
  private static final Finding UNSEEN =
      Finding.skipped(
          "the engine was not seen above %.0f%% of its KV cache, where bulk leaves, %d times"
              .formatted(BulkLimits.EVICT_FROM_KV_USAGE * 100, ATTEMPTS));

  private final SluiceClient pool;
  private final EngineClient engine;
  private final EngineClient worker;
  private final PoolWatch watch;
  private final String model;
  private final KvCache cache;
  private final Prompts prompts;

  /**
   * Creates a check of a pool with one worker.
   *
   * @param engine queried directly, without the pool
   * @param worker its metrics count the evictions
   */
  EvictionCheck(
      SluiceClient pool,
      EngineClient engine,
      EngineClient worker,
      PoolWatch watch,
      String model,
      KvCache cache,
      long seed) {
    this.pool = pool;
    this.engine = engine;
    this.worker = worker;
    this.watch = watch;
    this.model = model;
    this.cache = cache;
    this.prompts = new Prompts(seed);
  }

  /** Fills the engine with bulk requests, and sends interactive ones meanwhile. */
  Finding run() throws InterruptedException {
    Finding found = UNSEEN;
    for (int attempt = 0; attempt < ATTEMPTS && found.isSkipped(); attempt++) {
      found = attempt();
    }
    return found;
  }

  private Finding attempt() throws InterruptedException {
    int promptTokens = (int) (PROMPT_OF_A_SHARE * cache.share());
    int output = Math.min(MOST_OUTPUT, (int) (OUTPUT_OF_A_SHARE * cache.share()));
    int count = (int) Math.ceil(BULK * cache.tokens() / (promptTokens + output));
    List<String> bodies =
        IntStream.range(0, count).mapToObj(i -> body(promptTokens, output)).toList();
    List<String> expected = uninterrupted(bodies);
    double before = evicted();
    int told = watch.told().size();
    List<CompletableFuture<Answer>> bulk =
        bodies.stream().map(body -> ask(body, Priority.BULK)).toList();
    List<CompletableFuture<Long>> ends =
        bulk.stream().map(answer -> answer.thenApply(any -> System.nanoTime())).toList();
    if (!PoolWatch.becomesTrue(() -> watch.kvUsage() >= FULL || isDone(bulk), FULL_WITHIN)
        || isDone(bulk)) {
      pool.cancelAll();
      return Finding.skipped(
          ("%d bulk requests did not fill %.0f%% of the KV cache; the engine may be too slow for more at"
                  + " once, or have a small --max-num-seqs")
              .formatted(count, FULL * 100));
    }
    try {
      List<Answer> interactive = new ArrayList<>(interactive());
      for (int round = 1; round < ROUNDS && evicted() == before && !isDone(bulk); round++) {
        interactive.addAll(interactive());
      }
      List<Answer> answers = new ArrayList<>();
      for (CompletableFuture<Answer> answer : bulk) {
        answers.add(answer.get(ANSWERED_WITHIN.toMillis(), TimeUnit.MILLISECONDS));
      }
      return judged(
          bodies, expected, answers, interactive, (long) (evicted() - before), isDue(told, ends));
    } catch (ExecutionException e) {
      return Finding.broken(
          "expected answers to all requests; one ended with: %s".formatted(e.getCause()));
    } catch (TimeoutException e) {
      return Finding.broken(
          "expected answers to all requests; one had none after %d s"
              .formatted(ANSWERED_WITHIN.toSeconds()));
    }
  }

  private List<Answer> interactive()
      throws InterruptedException, ExecutionException, TimeoutException {
    int tokens =
        Math.min(cache.context() - INTERACTIVE_OUTPUT, (int) (NEEDED_BY_EACH * cache.tokens()));
    List<CompletableFuture<Answer>> asked =
        IntStream.range(0, INTERACTIVE)
            .mapToObj(i -> ask(body(tokens, INTERACTIVE_OUTPUT), Priority.INTERACTIVE))
            .toList();
    List<Answer> answers = new ArrayList<>();
    for (CompletableFuture<Answer> answer : asked) {
      answers.add(answer.get(ANSWERED_WITHIN.toMillis(), TimeUnit.MILLISECONDS));
    }
    return answers;
  }

  private Finding judged(
      List<String> bodies,
      List<String> expected,
      List<Answer> answers,
      List<Answer> interactive,
      long evicted,
      boolean isDue) {
    int equal = 0;
    List<Integer> different = new ArrayList<>();
    for (int i = 0; i < answers.size(); i++) {
      if (essence(answers.get(i).json()).equals(expected.get(i))) {
        equal++;
      } else if (uninterrupted(bodies.subList(i, i + 1)).getFirst().equals(expected.get(i))) {
        different.add(i);
      }
    }
    int unstable = answers.size() - equal - different.size();
    long slowest =
        interactive.stream().mapToLong(answer -> answer.latencyMillis().orElse(0)).max().orElse(0);
    String seen =
        "%d times a bulk request was evicted; %d of %d bulk answers are the uninterrupted ones%s;"
                .formatted(
                    evicted,
                    equal,
                    answers.size(),
                    unstable > 0
                        ? ", and " + unstable + " differ without any interruption too"
                        : "")
            + " %d interactive requests were answered within %d ms"
                .formatted(interactive.size(), slowest);
    if (!different.isEmpty()) {
      return Finding.broken("expected the uninterrupted answers; %s".formatted(seen));
    }
    if (evicted == 0 && !isDue) {
      return UNSEEN;
    }
    if (evicted == 0) {
      return Finding.broken("expected bulk requests to be evicted; %s".formatted(seen));
    }
    if (slowest > SOON.toMillis()) {
      return Finding.broken(
          "expected interactive answers within %d s; %s".formatted(SOON.toSeconds(), seen));
    }
    return Finding.kept(seen);
  }

  private String body(int promptTokens, int output) {
    return DirectLoad.body(model, prompts.next(promptTokens), output, false);
  }

  private CompletableFuture<Answer> ask(String body, Priority priority) {
    return pool.submit(
            InferenceRequest.of(Endpoint.COMPLETIONS, body.getBytes(StandardCharsets.UTF_8))
                .priority(priority)
                .timeout(ANSWERED_WITHIN.multipliedBy(4))
                .build())
        .answer();
  }

  /** Returns the engine's whole answers to direct requests. */
  private List<String> uninterrupted(List<String> bodies) {
    try (ExecutorService askers = Executors.newFixedThreadPool(AT_ONCE)) {
      return bodies.stream()
          .map(body -> askers.submit(() -> essence(engine.post("/v1/completions", body).body())))
          .toList()
          .stream()
          .map(EvictionCheck::got)
          .toList();
    }
  }

  private static String got(Future<String> answer) {
    try {
      return answer.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the engine does not respond: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Returns text, finish reason and tokens. */
  private static String essence(String json) {
    JsonNode answer = io.sluice.verify.http.Answer.json(json);
    return "%s %s %s"
        .formatted(
            answer.at("/usage/completion_tokens"),
            answer.at("/choices/0/finish_reason"),
            answer.at("/choices/0/text"));
  }

  /**
   * Returns whether the worker has reported, after this many snapshots, that bulk has to be
   * evicted: the cache is full, and the engine has bulk that is not nearly done, which would stay.
   * Bulk that is left may be parked in the router, because the interactive requests alone fill the
   * cache.
   *
   * @param ends when the bulk answers ended
   */
  private boolean isDue(int since, List<CompletableFuture<Long>> ends) {
    return watch.told().stream()
        .skip(since)
        .filter(
            told ->
                told.what().kvUsage().orElse(0) > BulkLimits.EVICT_FROM_KV_USAGE
                    && told.what().running() + told.what().waiting() > INTERACTIVE)
        .anyMatch(told -> isFarFromDone(told.nanos(), ends));
  }

  /** Returns whether bulk was left at a time, and none of it ended soon after. */
  private static boolean isFarFromDone(long nanos, List<CompletableFuture<Long>> ends) {
    return ends.stream()
            .mapToLong(end -> end.join() - nanos)
            .filter(left -> left > 0)
            .min()
            .orElse(0)
        > NEARLY_DONE.toNanos();
  }

  private double evicted() {
    return new MetricsPage(worker.get("/prometheus").body())
        .with("reason", "evicted")
        .sum("sluice_worker_returned_total");
  }

  private static boolean isDone(List<CompletableFuture<Answer>> answers) {
    return answers.stream().allMatch(CompletableFuture::isDone);
  }
}
