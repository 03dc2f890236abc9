package io.sluice.standalone.verify;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.producer.client.Answer;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.RequestFailedException;
import io.sluice.producer.client.SluiceClient;
import java.io.IOException;
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

  private final SluiceClient client;
  private final CuttingProxy proxy;
  private final String model;
  private final List<String> adapters;
  private final Random random;

  /** The result of a case. */
  enum Verdict {
    /** The interrupted answer equals the uninterrupted one. */
    SAME("same"),
    /** The answers are equal, and readers were told that the answer began again. */
    RESTARTED("same, restarted"),
    /** The answer ended before it could be cut. */
    NOT_CUT("not cut"),
    /** The engine does not support the request. */
    REFUSED("refused"),
    /**
     * There was no answer even without an interruption, although the engine did not reject the
     * request.
     */
    UNANSWERED("NO ANSWER"),
    /** The engine gives different answers even without an interruption. */
    UNSTABLE("not repeatable"),
    /** The answers differ. */
    DIFFERENT("DIFFERENT");

    private final String shown;

    Verdict(String shown) {
      this.shown = shown;
    }

    String shown() {
      return shown;
    }
  }

  /**
   * The result of one case, in detail.
   *
   * @param attempts the attempts of the interrupted answer; 0 if there is none
   */
  record Result(String name, Verdict verdict, int attempts, String detail) {}

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
  void run(List<MatrixCase> cases, Consumer<Result> results) throws InterruptedException {
    for (MatrixCase next : cases) {
      results.accept(result(next));
    }
  }

  private Result result(MatrixCase asked) throws InterruptedException {
    Optional<Answer> whole = Optional.empty();
    try {
      whole = Optional.of(ask(asked, newId()));
      Optional<Beside> beside = startBeside(asked);
      Answer cut = ask(asked, cutTwice(whole.get()));
      Optional<String> difference = AnswerDifference.between(json(whole.get()), json(cut));
      if (difference.isPresent()) {
        boolean isStable =
            AnswerDifference.between(json(whole.get()), json(ask(asked, newId()))).isEmpty();
        return different(asked, cut, isStable, difference.get());
      }
      Optional<String> ofBase = differenceOf(asked, beside);
      return ofBase.isEmpty()
          ? new Result(asked.name(), same(cut), cut.attempts(), "")
          : different(asked, cut, isBaseStable(asked), ofBase.get());
    } catch (RequestFailedException e) {
      return new Result(
          asked.name(),
          whole.isEmpty() ? unanswered(e.failure().kind()) : Verdict.DIFFERENT,
          0,
          String.valueOf(e.getMessage()));
    } catch (TimeoutException e) {
      return new Result(asked.name(), Verdict.DIFFERENT, 0, "no answer within " + PATIENCE);
    }
  }

  private static Result different(
      MatrixCase asked, Answer cut, boolean isStable, String difference) {
    Verdict verdict = isStable ? Verdict.DIFFERENT : Verdict.UNSTABLE;
    return new Result(asked.name(), verdict, cut.attempts(), difference);
  }

  /** What an uninterrupted request that ended with an error says of its engine. */
  static Verdict unanswered(ErrorKind error) {
    return switch (error) {
      case INVALID_REQUEST, CONTEXT_LENGTH_EXCEEDED, ANSWER_TOO_LARGE, ENGINE_ERROR ->
          Verdict.REFUSED;
      default -> Verdict.UNANSWERED;
    };
  }

  private static Verdict same(Answer cut) {
    int again = json(cut).at("/usage/completion_tokens_details/recomputed_tokens").asInt();
    Verdict whole = again > 0 ? Verdict.RESTARTED : Verdict.SAME;
    return cut.attempts() == 1 ? Verdict.NOT_CUT : whole;
  }

  /**
   * The same request for the base model, which runs while the one for an adapter is cut.
   *
   * @param whole its answer when nothing runs beside it
   */
  private record Beside(Answer whole, CompletableFuture<Answer> answer) {}

  /** Empty for a case that nothing runs beside. */
  private Optional<Beside> startBeside(MatrixCase asked)
      throws RequestFailedException, InterruptedException, TimeoutException {
    if (!asked.isForAdapter()) {
      return Optional.empty();
    }
    Answer whole = await(asked, submit(asked, model, newId()));
    return Optional.of(new Beside(whole, submit(asked, model, newId())));
  }

  private static Optional<String> differenceOf(MatrixCase asked, Optional<Beside> beside)
      throws RequestFailedException, InterruptedException, TimeoutException {
    if (beside.isEmpty()) {
      return Optional.empty();
    }
    Answer answer = await(asked, beside.get().answer());
    return AnswerDifference.between(json(beside.get().whole()), json(answer))
        .map(difference -> "of the base model beside it: " + difference);
  }

  /** Whether the base model's answer is the same beside an adapter's that nothing interrupts. */
  private boolean isBaseStable(MatrixCase asked)
      throws RequestFailedException, InterruptedException, TimeoutException {
    Optional<Beside> beside = startBeside(asked);
    var _ = ask(asked, newId());
    return differenceOf(asked, beside).isEmpty();
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
    int tokens = Math.max(2, json(whole).at("/usage/completion_tokens").asInt());
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

  private static JsonNode json(Answer answer) {
    try {
      return Json.mapper().readTree(answer.json());
    } catch (IOException e) {
      throw new IllegalStateException("an answer is not JSON", e);
    }
  }
}
