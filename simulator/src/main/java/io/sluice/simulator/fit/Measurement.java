package io.sluice.simulator.fit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Measures an idle engine: single prompts of many lengths, and batches of streams of many sizes and
 * context lengths. Everything is measured several times, round by round, so that a temporary
 * disturbance of the machine does not affect all rounds of one point.
 */
final class Measurement {

  /** The times of prompts and steps, and the width of their noise. */
  record Result(List<Sample> samples, double noiseSigma) {}

  private static final int OUTPUT_TOKENS = 128;
  private static final int PROMPTS_PER_ROUND = 3;

  /** The share of the KV cache that a batch may fill, so that nothing is preempted. */
  private static final double FULL = 0.8;

  private record Batch(List<int[]> prompts, int promptTokens) {}

  private final MeasuredEngine engine;
  private final EngineFacts facts;
  private final Prompts prompts;
  private final Consumer<String> progress;

  Measurement(MeasuredEngine engine, EngineFacts facts, long seed, Consumer<String> progress) {
    this.engine = engine;
    this.facts = facts;
    this.prompts = new Prompts(seed);
    this.progress = progress;
  }

  /**
   * Measures all points in a number of rounds, after a warm-up round that does not count.
   *
   * @param largestBatch the largest number of concurrent streams
   */
  Result run(int rounds, int largestBatch) {
    List<Integer> lengths = promptLengths();
    List<Batch> batches = batches(largestBatch);
    List<List<Double>> promptMillis = lists(lengths.size());
    List<List<DecodeWindow>> windows = lists(batches.size());
    for (int round = 0; round <= rounds; round++) {
      progress.accept(round == 0 ? "warming up" : "round %d of %d".formatted(round, rounds));
      for (int i = 0; i < lengths.size(); i++) {
        List<Double> millis = firstTokenMillis(lengths.get(i));
        if (round > 0) {
          promptMillis.get(i).addAll(millis);
        }
      }
      for (int i = 0; i < batches.size(); i++) {
        Optional<DecodeWindow> window = decode(batches.get(i));
        if (round > 0) {
          window.ifPresent(windows.get(i)::add);
        }
      }
    }
    return result(lengths, promptMillis, windows);
  }

  private Result result(
      List<Integer> lengths, List<List<Double>> promptMillis, List<List<DecodeWindow>> windows) {
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < lengths.size(); i++) {
      samples.add(
          Sample.prompt(
              lengths.get(i), facts.maxNumBatchedTokens(), Statistics.median(promptMillis.get(i))));
    }
    List<Double> noise = new ArrayList<>();
    for (List<DecodeWindow> same : windows) {
      if (!same.isEmpty()) {
        samples.add(
            Sample.decode(
                same.getFirst().sequences(),
                Statistics.mean(same.stream().map(DecodeWindow::kvTokens).toList()),
                Statistics.median(same.stream().map(DecodeWindow::stepMillis).toList())));
        same.forEach(window -> noise.add(window.noiseSigma()));
      }
    }
    return new Result(samples, Statistics.median(noise));
  }

  /** Measures a prompt. Each prompt is new, so that none of it is cached. */
  private List<Double> firstTokenMillis(int promptTokens) {
    List<Double> millis = new ArrayList<>();
    for (int i = 0; i < PROMPTS_PER_ROUND; i++) {
      millis.add(MeasuredEngine.join(engine.stream(prompts.next(promptTokens), 1)).ttftMillis());
    }
    return millis;
  }

  /**
   * Measures a batch. Its prompts are the same in all rounds, so that later rounds find them
   * cached.
   */
  private Optional<DecodeWindow> decode(Batch batch) {
    List<CompletableFuture<TokenTimes>> streams =
        batch.prompts().stream().map(prompt -> engine.stream(prompt, outputTokens(batch))).toList();
    return DecodeWindow.of(
        streams.stream().map(MeasuredEngine::join).toList(), batch.promptTokens());
  }

  /**
   * Returns the output length of the first stream, which continues until the last one has finished
   * its prefill.
   */
  private int outputTokens(Batch batch) {
    long all = (long) batch.prompts().size() * batch.promptTokens();
    int wanted = OUTPUT_TOKENS + (int) Math.ceilDiv(all, (long) facts.maxNumBatchedTokens());
    return Math.min(wanted, engine.maxModelLen() - batch.promptTokens());
  }

  private List<Integer> promptLengths() {
    List<Integer> lengths = new ArrayList<>();
    int longest = (int) Math.min(engine.maxModelLen() - 8, FULL * facts.kvTokens());
    for (int length = 16; length < longest; length *= 2) {
      lengths.add(length);
    }
    lengths.add(longest);
    return lengths;
  }

  private List<Batch> batches(int largestBatch) {
    List<Batch> batches = new ArrayList<>();
    int longest = engine.maxModelLen() * 3 / 4;
    for (int length : new int[] {16, longest / 4, longest}) {
      for (int size = 1; size <= Math.min(largestBatch, facts.maxNumSeqs()); size *= 2) {
        if (fits(size, length)) {
          int tokens = length;
          List<int[]> all = Stream.generate(() -> prompts.next(tokens)).limit(size).toList();
          batches.add(new Batch(all, length));
        }
      }
    }
    return batches;
  }

  private boolean fits(int sequences, int promptTokens) {
    long blocks = Math.ceilDiv(promptTokens + 2 * OUTPUT_TOKENS, facts.blockTokens());
    return sequences * blocks < FULL * facts.kvBlocks();
  }

  private static <T> List<List<T>> lists(int count) {
    return Stream.<List<T>>generate(ArrayList::new).limit(count).toList();
  }
}
