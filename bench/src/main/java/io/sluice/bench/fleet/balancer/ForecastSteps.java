package io.sluice.bench.fleet.balancer;

import io.sluice.bench.fleet.balancer.Forecast.Open;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.timing.StepWork;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * The steps of an engine from now on, without noise and without preemption. Prompts are computed in
 * order, as far as the token budget of a step allows; one is begun when the KV cache has room for
 * all of it.
 */
final class ForecastSteps {
  private static final double LONGEST_MILLIS = 600_000;

  /** A sequence that decodes. */
  private static final class Decoding {
    private int left;
    private int context;

    Decoding(Open request, int done) {
      this.left = request.outputTokens() - done;
      this.context = request.promptTokens() + done;
    }
  }

  /** A prompt that is not computed yet. */
  private static final class Prompt {
    private final Open request;
    private int left;

    Prompt(Open request) {
      this.request = request;
      this.left = Math.max(1, request.uncomputedTokens());
    }
  }

  private final EngineConfig config;
  private final Open last;
  private final double mostKvTokens;
  private final List<Decoding> decoding = new ArrayList<>();
  private final Deque<Prompt> prompts = new ArrayDeque<>();
  private double kvTokens;

  /** How many of the prompts have their place in the KV cache. */
  private int admitted;

  ForecastSteps(EngineConfig config, Collection<Open> before, Open last) {
    this.config = config;
    this.last = last;
    this.mostKvTokens = (double) (config.kvBlocks() - 1) * config.blockTokens();
    for (Open request : before) {
      if (request.done() > 0) {
        decode(request, request.done());
      } else {
        prompts.add(new Prompt(request));
      }
    }
    prompts.add(new Prompt(last));
  }

  private void decode(Open request, int done) {
    Decoding sequence = new Decoding(request, done);
    decoding.add(sequence);
    kvTokens += sequence.context;
  }

  /** Plays the steps up to the one with the first token of the last request. */
  Forecast untilFirstToken() {
    double millis = 0;
    while (millis < LONGEST_MILLIS) {
      double sequences = decoding.size();
      double reads = decoding.stream().mapToLong(sequence -> sequence.context).sum();
      admit();
      List<Open> computed = new ArrayList<>();
      StepWork prefill = prefill(computed);
      var work = new StepWork(prefill.prefillTokens(), prefill.prefillReads(), sequences, reads);
      millis += config.timing().profile().cost().stepMillis(work);
      advance();
      computed.forEach(this::begin);
      if (computed.contains(last)) {
        return new Forecast(millis, isOutgrown());
      }
    }
    return new Forecast(millis, true);
  }

  private void admit() {
    for (Prompt prompt : prompts.stream().skip(admitted).toList()) {
      boolean fits = kvTokens + prompt.request.promptTokens() <= mostKvTokens;
      if (!fits || decoding.size() + admitted >= config.scheduling().maxNumSeqs()) {
        return;
      }
      kvTokens += prompt.request.promptTokens();
      admitted++;
    }
  }

  /** Computes prompts in order. Adds those to the list of which nothing is left. */
  private StepWork prefill(List<Open> computed) {
    int budget = config.scheduling().maxNumBatchedTokens() - decoding.size();
    double tokens = 0;
    double reads = 0;
    Iterator<Prompt> inOrder = prompts.iterator();
    for (int i = 0; i < admitted && budget > 0; i++) {
      Prompt prompt = inOrder.next();
      int share = Math.min(prompt.left, budget);
      reads += StepWork.reads(share, prompt.request.promptTokens() - prompt.left);
      tokens += share;
      budget -= share;
      prompt.left -= share;
      if (prompt.left == 0) {
        computed.add(prompt.request);
      }
    }
    return new StepWork(tokens, reads, 0, 0);
  }

  /** Every sequence that decodes has another token. */
  private void advance() {
    Iterator<Decoding> all = decoding.iterator();
    while (all.hasNext()) {
      Decoding sequence = all.next();
      sequence.left--;
      sequence.context++;
      kvTokens++;
      if (sequence.left <= 0) {
        kvTokens -= sequence.context;
        all.remove();
      }
    }
  }

  private void begin(Open request) {
    prompts.removeFirst();
    admitted--;
    kvTokens -= request.promptTokens();
    decode(request, 1);
  }

  /** Returns whether the sequences outgrow the KV cache, with a token more in every step. */
  private boolean isOutgrown() {
    decoding.sort(Comparator.comparingInt(sequence -> -sequence.left));
    double contexts = 0;
    int sequences = 0;
    for (Decoding sequence : decoding) {
      contexts += sequence.context;
      sequences++;
      if (contexts + (double) sequences * sequence.left > mostKvTokens) {
        return true;
      }
    }
    return false;
  }
}
