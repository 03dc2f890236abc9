package io.sluice.standalone.verify;

import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.RequestFailedException;
import io.sluice.standalone.verify.pool.CuttingProxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Asks each question twice, the second time with the engine's connection cut at a random token,
 * once or twice, and compares the answers. For one thread.
 */
final class PoolCheck {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /** An answer may depend on what the engine computes at the same time, which varies. */
  private static final int REPETITIONS = 10;

  private final SluiceClient client;
  private final CuttingProxy proxy;
  private final String model;
  private final List<String> adapters;
  private final Random random;

  /**
   * Creates a check of a pool whose only worker uses the proxy.
   *
   * @param adapters of the engine; the first is asked for where a case needs one
   * @param seed decides where answers are cut
   */
  PoolCheck(
      SluiceClient client, CuttingProxy proxy, String model, List<String> adapters, long seed) {
    this.client = client;
    this.proxy = proxy;
    this.model = model;
    this.adapters = List.copyOf(adapters);
    this.random = new Random(seed);
  }

  /** Runs all cases and reports each result as soon as it is known. */
  void run(List<MatrixCase> cases, Consumer<MatrixResult> results) throws InterruptedException {
    for (MatrixCase next : cases) {
      results.accept(result(next));
    }
  }

  private MatrixResult result(MatrixCase asked) throws InterruptedException {
    Optional<Answer> whole = Optional.empty();
    try {
      whole = Optional.of(ask(asked, newId()));
      Optional<Neighbour> neighbour = startNeighbour(asked);
      Answer cut = askAndCut(asked, whole.get());
      Optional<String> difference = AnswerDifference.between(whole.get(), cut);
      if (difference.isPresent()) {
        Answer first = whole.get();
        boolean isRepeated = isRepeated(() -> AnswerDifference.between(first, ask(asked, newId())));
        return MatrixResult.different(asked, cut, isRepeated, difference.get());
      }
      Optional<String> ofBase = differenceOf(asked, neighbour);
      return ofBase.isEmpty()
          ? MatrixResult.same(asked, cut)
          : MatrixResult.different(
              asked, cut, isRepeated(() -> ofBaseUninterrupted(asked)), ofBase.get());
    } catch (RequestFailedException e) {
      return whole.isEmpty()
          ? MatrixResult.unanswered(asked, e)
          : MatrixResult.missing(asked, String.valueOf(e.getMessage()));
    } catch (TimeoutException e) {
      return MatrixResult.missing(asked, "no answer within " + PATIENCE);
    }
  }

  /** Asks again without an interruption, and compares. */
  @FunctionalInterface
  private interface Repetition {
    Optional<String> difference()
        throws RequestFailedException, InterruptedException, TimeoutException;
  }

  /** Returns whether the engine gives the same answer each time, if nothing interrupts it. */
  private static boolean isRepeated(Repetition repetition)
      throws RequestFailedException, InterruptedException, TimeoutException {
    for (int n = 0; n < REPETITIONS; n++) {
      if (repetition.difference().isPresent()) {
        return false;
      }
    }
    return true;
  }

  /**
   * The same request for the base model, which runs while the one for an adapter is cut.
   *
   * @param whole its answer when nothing else runs
   */
  private record Neighbour(Answer whole, CompletableFuture<Answer> answer) {}

  /** Empty for a case that runs alone. */
  private Optional<Neighbour> startNeighbour(MatrixCase asked)
      throws RequestFailedException, InterruptedException, TimeoutException {
    if (!asked.isForAdapter()) {
      return Optional.empty();
    }
    Answer whole = await(asked, submit(asked, model, newId()));
    return Optional.of(new Neighbour(whole, submit(asked, model, newId())));
  }

  private static Optional<String> differenceOf(MatrixCase asked, Optional<Neighbour> neighbour)
      throws RequestFailedException, InterruptedException, TimeoutException {
    if (neighbour.isEmpty()) {
      return Optional.empty();
    }
    Answer answer = await(asked, neighbour.get().answer());
    return AnswerDifference.between(neighbour.get().whole(), answer)
        .map(difference -> "of the base model next to it: " + difference);
  }

  /**
   * Compares the base model's answer that runs at the same time as an adapter's, without
   * interruption.
   */
  private Optional<String> ofBaseUninterrupted(MatrixCase asked)
      throws RequestFailedException, InterruptedException, TimeoutException {
    Optional<Neighbour> neighbour = startNeighbour(asked);
    var _ = ask(asked, newId());
    return differenceOf(asked, neighbour);
  }

  /**
   * An engine that is busy sends several tokens in a frame, so an answer may end before it is cut.
   * Then it is asked for once more, and cut after its first frame.
   */
  private Answer askAndCut(MatrixCase asked, Answer whole)
      throws RequestFailedException, InterruptedException, TimeoutException {
    Answer cut = ask(asked, cutTwice(whole));
    if (cut.attempts() > 1) {
      return cut;
    }
    String id = newId();
    proxy.cut(id, 1);
    return ask(asked, id);
  }

  private Answer ask(MatrixCase asked, String id)
      throws RequestFailedException, InterruptedException, TimeoutException {
    return await(asked, submit(asked, asked.isForAdapter() ? adapters.getFirst() : model, id));
  }

  private CompletableFuture<Answer> submit(MatrixCase asked, String servedAs, String id) {
    return client
        .submit(
            InferenceRequest.of(asked.endpoint(), asked.bodyFor(servedAs)).requestId(id).build())
        .answer();
  }

  private static Answer await(MatrixCase asked, CompletableFuture<Answer> answer)
      throws RequestFailedException, InterruptedException, TimeoutException {
    try {
      return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RequestFailedException failed) {
        throw failed;
      }
      throw new IllegalStateException("the answer to '" + asked.name() + "' cannot be read", e);
    }
  }

  /**
   * Returns the id for a request that is cut in the first half of its tokens, and possibly a second
   * time.
   */
  private String cutTwice(Answer whole) {
    int tokens = Math.max(2, whole.usage().completionTokens());
    String id = newId();
    proxy.cut(id, 1 + random.nextInt(Math.max(1, tokens / 2)));
    if (random.nextBoolean()) {
      proxy.cut(id, 1 + random.nextInt(Math.max(1, tokens / 3)));
    }
    return id;
  }

  private static String newId() {
    return UUID.randomUUID().toString();
  }
}
