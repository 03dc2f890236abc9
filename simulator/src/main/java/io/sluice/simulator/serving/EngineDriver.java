package io.sluice.simulator.serving;

import io.sluice.simulator.engine.Engine;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.SequenceRequest;
import io.sluice.simulator.engine.StepResult;
import io.sluice.simulator.engine.TokenOutput;
import io.sluice.simulator.metrics.ServerMetrics;
import io.sluice.simulator.text.Detokenizer;
import io.sluice.simulator.text.Generation;
import io.sluice.simulator.text.TokenIds;
import io.sluice.simulator.text.Tokenizer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs an engine in real time on one thread, which parks while there is nothing to do.
 *
 * <p>A step's outputs are handed over when its time is over. Requests that come, and ones that are
 * cancelled, take effect between two steps. When the machine is late, following steps start on
 * schedule as far as {@link #CATCH_UP} allows, so that the mean rate is the modelled one. {@link
 * #submit} is thread-safe; the number of waiting requests has no limit here, as in vLLM.
 */
public final class EngineDriver {

  private static final Logger LOG = LoggerFactory.getLogger(EngineDriver.class);

  private static final long CATCH_UP = Duration.ofMillis(20).toNanos();

  private final EngineConfig config;
  private final Engine engine;
  private final Tokenizer tokenizer;
  private final String model;
  private final ServerMetrics metrics;
  private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
  private final Map<Long, ActiveChoice> active = new LinkedHashMap<>();
  private final AtomicLong sequenceIds = new AtomicLong();
  private final Thread thread;

  private volatile boolean parked;
  private volatile boolean halted;
  private volatile boolean shuttingDown;

  /**
   * Creates a driver; {@link #start} runs it.
   *
   * @param model the model name, which the generated text depends on
   */
  public EngineDriver(
      EngineConfig config, Tokenizer tokenizer, String model, ServerMetrics metrics) {
    this.config = config;
    this.engine = new Engine(config);
    this.tokenizer = tokenizer;
    this.model = model;
    this.metrics = metrics;
    this.thread = Thread.ofPlatform().name("engine-" + model).daemon().unstarted(this::run);
  }

  /** Starts the thread. */
  public void start() {
    thread.start();
  }

  /**
   * Generates for one or more prompts; each must leave room for output in the context.
   *
   * @param listener gets the outputs of all choices
   */
  public Submission submit(List<TokenIds> prompts, SamplingParams params, OutputListener listener) {
    long arrivalNanos = System.nanoTime();
    List<ActiveChoice> choices = new ArrayList<>(prompts.size() * params.n());
    for (TokenIds prompt : prompts) {
      PromptGroup group = new PromptGroup(params.n());
      byte[] bytes = tokenizer.bytes(prompt);
      for (int i = 0; i < params.n(); i++) {
        choices.add(
            new ActiveChoice(
                choices.size(),
                request(prompt, bytes, i, params),
                new Detokenizer(tokenizer, bytes, params.stops(), params.includeStop()),
                listener,
                group,
                arrivalNanos));
      }
    }
    command(() -> choices.forEach(this::enter));
    return () -> command(() -> choices.forEach(this::leave));
  }

  /**
   * Ends all requests with {@code abort}, and any that still come, until {@link #halt}. Returns
   * when their listeners have heard of it, or after a second.
   */
  public void shutDown() {
    CountDownLatch done = new CountDownLatch(1);
    shuttingDown = true;
    command(
        () -> {
          active.values().forEach(this::endByAbort);
          active.clear();
          done.countDown();
        });
    LockSupport.unpark(thread);
    try {
      if (!done.await(1, TimeUnit.SECONDS)) {
        LOG.warn("event=shutdown_late model={}", model);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Stops the thread between two steps, without a word to anybody; waits at most a second. */
  public void halt() {
    halted = true;
    LockSupport.unpark(thread);
    try {
      thread.join(Duration.ofSeconds(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private SequenceRequest request(
      TokenIds prompt, byte[] bytes, int choice, SamplingParams params) {
    Generation generation =
        Generation.of(tokenizer, model, bytes, choice, params.ignoreEos(), params.minTokens());
    Set<Integer> ends = new HashSet<>(params.stopTokenIds());
    ends.add(Tokenizer.END_OF_TEXT);
    int room = config.maxModelLen() - prompt.size();
    return new SequenceRequest(
        sequenceIds.incrementAndGet(),
        prompt,
        Math.min(room, params.maxTokens().orElse(room)),
        ends,
        params.minTokens(),
        generation::nextToken);
  }

  private void command(Runnable command) {
    commands.add(command);
    if (parked) {
      LockSupport.unpark(thread);
    }
  }

  private void enter(ActiveChoice choice) {
    if (shuttingDown) {
      choice.abort(metrics);
      return;
    }
    choice.queued(System.nanoTime());
    engine.submit(choice.request());
    active.put(choice.request().id(), choice);
  }

  private void leave(ActiveChoice choice) {
    if (active.remove(choice.request().id()) != null) {
      engine.abort(choice.request().id());
    }
  }

  private void endByAbort(ActiveChoice choice) {
    engine.abort(choice.request().id());
    choice.abort(metrics);
  }

  private void run() {
    long scheduleNanos = System.nanoTime();
    while (!halted) {
      boolean changed = runCommands();
      if (engine.hasWork()) {
        scheduleNanos = Math.max(scheduleNanos, System.nanoTime() - CATCH_UP);
        StepResult result = engine.step(scheduleNanos);
        scheduleNanos += result.durationNanos();
        sleepUntil(scheduleNanos);
        deliver(result);
      } else {
        if (changed) {
          metrics.engineIs(engine.stats());
        }
        parkUntilCommanded();
        scheduleNanos = System.nanoTime();
      }
    }
  }

  private boolean runCommands() {
    boolean any = false;
    for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
      command.run();
      any = true;
    }
    return any;
  }

  private void parkUntilCommanded() {
    parked = true;
    if (commands.isEmpty() && !halted) {
      LockSupport.park(this);
    }
    parked = false;
  }

  private void sleepUntil(long deadlineNanos) {
    long left = deadlineNanos - System.nanoTime();
    while (left > 0 && !halted && !shuttingDown) {
      LockSupport.parkNanos(this, left);
      left = deadlineNanos - System.nanoTime();
    }
  }

  private void deliver(StepResult result) {
    if (halted) {
      return;
    }
    // Counted before anybody hears of it: who has an answer finds it in the metrics.
    Map<ActiveChoice, ChoiceOutput> outputs = new LinkedHashMap<>();
    metrics.together(() -> count(result, outputs));
    outputs.forEach(ActiveChoice::pass);
  }

  private void count(StepResult result, Map<ActiveChoice, ChoiceOutput> outputs) {
    long nowNanos = System.nanoTime();
    int newPromptTokens = 0;
    for (TokenOutput token : result.outputs()) {
      ActiveChoice choice = active.get(token.sequenceId());
      if (choice != null) {
        newPromptTokens += choice.hasOutput() ? 0 : choice.request().prompt().size();
        ChoiceOutput output = choice.take(token, nowNanos, metrics);
        outputs.put(choice, output);
        if (output.finish().isPresent()) {
          leave(choice);
        }
      }
    }
    if (!outputs.isEmpty()) {
      metrics.stepYielded(newPromptTokens, outputs.size());
    }
    metrics.engineIs(engine.stats());
  }
}
