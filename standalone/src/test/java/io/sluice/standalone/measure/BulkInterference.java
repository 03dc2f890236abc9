package io.sluice.standalone.measure;

import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Priority;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.pool.LocalPool;
import io.sluice.standalone.pool.PoolPlan;
import io.sluice.standalone.pool.Ports;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Measures the effect of a bulk job on interactive requests at the same engines: the same requests
 * at the same times without and with the job, alternating. Of each eviction, the whole prompt and
 * the tokens kept count as recomputed, although some may be cached. Arguments: rounds, seconds of
 * each part of a round, interactive requests per second.
 */
public final class BulkInterference implements AutoCloseable {
  private static final int WORKERS = 2;
  private static final String MODEL = "measured";
  private static final SimulatorConfig ENGINE =
      SimulatorConfig.of(GpuProfile.RTX4090).withModels(List.of(MODEL));

  /** More than both engines can run at once, so that some always wait. */
  private static final int BULK_UNDER_WAY = 120;

  private static final Duration BULK_DEADLINE = Duration.ofMinutes(10);
  private static final int PROMPT_WORDS = 450;
  private static final int BULK_PROMPT_WORDS = 700;

  private final Engines engines;
  private final LocalPool pool;
  private final SluiceClient client;
  private final AtomicInteger failures = new AtomicInteger();
  private int started;

  /** The results of a part of the job. */
  private static final class Bulk {
    private final AtomicLong tokens = new AtomicLong();
    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger unanswered = new AtomicInteger();
    private final AtomicInteger evicted = new AtomicInteger();
    private final AtomicLong recomputed = new AtomicLong();
  }

  private BulkInterference() throws Exception {
    engines = Engines.start(ENGINE, WORKERS);
    pool = LocalPool.start(PoolPlan.over(Ports.free(), engines.uris(), Optional.empty()));
    client = SluiceClient.connect(ClientConfig.at(pool.kafka()));
  }

  public static void main(String[] args) throws Exception {
    int rounds = HopOverhead.argument(args, 0, 3);
    int seconds = HopOverhead.argument(args, 1, 40);
    int perSecond = HopOverhead.argument(args, 2, 2);
    QuietLog.set();
    try (var measured = new BulkInterference()) {
      measured.interactive(new Arrivals(10 * perSecond, perSecond, 0));
      System.out.println(
          "round  alone: TTFT p50 ms    p95    with bulk: p50    p95  ratio p95  bulk tokens/s  evicted  recomputed  unanswered");
      Samples alone = new Samples();
      Samples withBulk = new Samples();
      for (int round = 1; round <= rounds; round++) {
        measured.round(new Arrivals(seconds * perSecond, perSecond, round), round, alone, withBulk);
      }
      System.out.printf(
          Locale.ROOT,
          "all rounds: TTFT p95 %.0f ms alone, %.0f ms with bulk: %.2f times; %d interactive failures%n",
          alone.quantile(0.95),
          withBulk.quantile(0.95),
          withBulk.quantile(0.95) / alone.quantile(0.95),
          measured.failures.get());
    }
    System.exit(0);
  }

  private void round(Arrivals arrivals, int round, Samples allAlone, Samples allWithBulk)
      throws InterruptedException {
    Samples alone = interactive(arrivals);
    Bulk bulk = new Bulk();
    Semaphore places = new Semaphore(BULK_UNDER_WAY);
    Thread job = Thread.startVirtualThread(() -> keepBusy(bulk, places));
    TimeUnit.SECONDS.sleep(10);
    long before = bulk.tokens.get();
    long start = System.nanoTime();
    Samples withBulk = interactive(arrivals);
    double perSecond = (bulk.tokens.get() - before) / ((System.nanoTime() - start) / 1e9);
    job.interrupt();
    job.join();
    boolean isOver = places.tryAcquire(BULK_UNDER_WAY, BULK_DEADLINE.toSeconds(), TimeUnit.SECONDS);
    int left = isOver ? 0 : BULK_UNDER_WAY - places.availablePermits();
    System.out.printf(
        Locale.ROOT,
        "%5d  %18.0f %6.0f  %16.0f %6.0f  %9.2f  %13.0f  %3d/%3d  %10d  %10d%n",
        round,
        alone.median(),
        alone.quantile(0.95),
        withBulk.median(),
        withBulk.quantile(0.95),
        withBulk.quantile(0.95) / alone.quantile(0.95),
        perSecond,
        bulk.evicted.get(),
        bulk.sent.get(),
        bulk.recomputed.get(),
        bulk.unanswered.get() + left);
    allAlone.addAll(alone);
    allWithBulk.addAll(withBulk);
  }

  private void keepBusy(Bulk bulk, Semaphore places) {
    try {
      while (true) {
        places.acquire();
        bulk.sent.incrementAndGet();
        submitBulk(bulk, places);
      }
    } catch (InterruptedException e) {
      // The round is over; this waits for the requests that were sent.
    }
  }

  private void submitBulk(Bulk bulk, Semaphore places) {
    SplittableRandom random = new SplittableRandom(bulk.sent.get());
    int promptWords = around(BULK_PROMPT_WORDS, random);
    byte[] body = body(promptWords, around(300, random));
    follow(
        InferenceRequest.of(Endpoint.CHAT_COMPLETIONS, body)
            .priority(Priority.BULK)
            .timeout(BULK_DEADLINE)
            .build(),
        event -> {
          switch (event) {
            case ReplyEvent.Tokens tokens -> bulk.tokens.addAndGet(tokens.count());
            case ReplyEvent.Resumed resumed -> {
              bulk.evicted.incrementAndGet();
              bulk.recomputed.addAndGet(resumed.tokensKept() + promptWords);
            }
            case ReplyEvent.Restarted restarted -> bulk.evicted.incrementAndGet();
            case ReplyEvent.Failed failed -> bulk.unanswered.incrementAndGet();
            case ReplyEvent.Completed completed -> {}
          }
        },
        places::release);
  }

  private Samples interactive(Arrivals arrivals) throws InterruptedException {
    Samples samples = new Samples();
    CountDownLatch open = new CountDownLatch(arrivals.count());
    SplittableRandom random = new SplittableRandom(arrivals.seed());
    arrivals.run(
        i -> {
          byte[] body = body(around(PROMPT_WORDS, random), around(150, random));
          long start = System.nanoTime();
          boolean[] hasStarted = {false};
          follow(
              InferenceRequest.of(Endpoint.CHAT_COMPLETIONS, body).build(),
              event -> {
                if (event instanceof ReplyEvent.Tokens && !hasStarted[0]) {
                  hasStarted[0] = true;
                  samples.addMillis(System.nanoTime() - start);
                } else if (event instanceof ReplyEvent.Failed) {
                  failures.incrementAndGet();
                }
              },
              open::countDown);
        });
    open.await(120, TimeUnit.SECONDS);
    return samples;
  }

  private void follow(InferenceRequest request, Consumer<ReplyEvent> events, Runnable afterwards) {
    client
        .submit(request)
        .subscribe(
            new Flow.Subscriber<>() {
              @Override
              public void onSubscribe(Flow.Subscription subscription) {
                subscription.request(Long.MAX_VALUE);
              }

              @Override
              public void onNext(ReplyEvent event) {
                events.accept(event);
              }

              @Override
              public void onError(Throwable error) {
                failures.incrementAndGet();
                afterwards.run();
              }

              @Override
              public void onComplete() {
                afterwards.run();
              }
            });
  }

  /** No two bodies begin with the same text. */
  private byte[] body(int promptWords, int tokens) {
    int number;
    synchronized (this) {
      number = started++;
    }
    String prompt = "number %d: ".formatted(number) + "word ".repeat(promptWords);
    return """
        {"model":"%s","messages":[{"role":"user","content":"%s"}],"max_tokens":%d,"ignore_eos":true,"stream":true}"""
        .formatted(MODEL, prompt, tokens)
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Between a third of the usual length and three times as much. */
  private static int around(int usual, SplittableRandom random) {
    return (int) Math.round(usual * Math.exp(random.nextDouble(-Math.log(3), Math.log(3))));
  }

  @Override
  public void close() throws InterruptedException {
    client.close();
    pool.close();
    engines.close();
  }
}
