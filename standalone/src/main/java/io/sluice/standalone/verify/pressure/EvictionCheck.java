package io.sluice.standalone.verify.pressure;

import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Priority;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.Answer;
import io.sluice.simulator.fit.MetricsPage;
import io.sluice.simulator.fit.Prompts;
import io.sluice.standalone.verify.pool.Finding;
import io.sluice.standalone.verify.pool.PoolWatch;
import io.sluice.standalone.verify.pool.PoolWatch.Seen;
import io.sluice.verify.http.EngineClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
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
  static final int ATTEMPTS = 3;

  private static final double NEEDED_BY_EACH = 0.15;

  /**
   * Even a fast engine needs longer for this output than the worker's interval between two scrapes.
   */
  private static final int INTERACTIVE_OUTPUT = 128;

  private static final Duration FULL_WITHIN = Duration.ofSeconds(90);
  private static final Duration ANSWERED_WITHIN = Duration.ofMinutes(3);

  private final SluiceClient pool;
  private final UninterruptedAnswers uninterrupted;
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
    this.uninterrupted = new UninterruptedAnswers(engine);
    this.worker = worker;
    this.watch = watch;
    this.model = model;
    this.cache = cache;
    this.prompts = new Prompts(seed);
  }

  /** Fills the engine with bulk requests, and sends interactive ones meanwhile. */
  Finding run() throws InterruptedException {
    Finding found = EvictionOutcome.UNSEEN;
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
    List<String> expected = uninterrupted.to(bodies);
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
      List<Answer> answers = awaited(bulk);
      return outcome(
              (long) (evicted() - before),
              needOf(told, ends).isSeen(),
              bodies,
              expected,
              answers,
              interactive)
          .finding();
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
    return awaited(
        IntStream.range(0, INTERACTIVE)
            .mapToObj(i -> ask(body(tokens, INTERACTIVE_OUTPUT), Priority.INTERACTIVE))
            .toList());
  }

  private static List<Answer> awaited(List<CompletableFuture<Answer>> asked)
      throws InterruptedException, ExecutionException, TimeoutException {
    List<Answer> answers = new ArrayList<>();
    for (CompletableFuture<Answer> answer : asked) {
      answers.add(answer.get(ANSWERED_WITHIN.toMillis(), TimeUnit.MILLISECONDS));
    }
    return answers;
  }

  private EvictionOutcome outcome(
      long evictions,
      boolean isNeeded,
      List<String> bodies,
      List<String> expected,
      List<Answer> bulk,
      List<Answer> interactive) {
    int equal = 0;
    int different = 0;
    for (int i = 0; i < bulk.size(); i++) {
      if (UninterruptedAnswers.essence(bulk.get(i).json()).equals(expected.get(i))) {
        equal++;
      } else if (uninterrupted.to(bodies.get(i)).equals(expected.get(i))) {
        different++;
      }
    }
    return new EvictionOutcome(
        evictions,
        isNeeded,
        bulk.size(),
        equal,
        different,
        interactive.size(),
        interactive.stream().mapToLong(answer -> answer.latencyMillis().orElse(0)).max().orElse(0));
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

  /**
   * @param since the number of the worker's reports before
   * @param bulkEnds when the bulk answers ended
   */
  private EvictionNeed needOf(int since, List<CompletableFuture<Long>> bulkEnds) {
    List<Seen<WorkerSnapshot>> told = watch.told();
    return new EvictionNeed(
        told.subList(since, told.size()),
        bulkEnds.stream().map(CompletableFuture::join).toList(),
        INTERACTIVE);
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
