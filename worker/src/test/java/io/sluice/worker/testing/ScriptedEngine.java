package io.sluice.worker.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.Json;
import io.sluice.worker.engine.Chunk;
import io.sluice.worker.engine.EngineAnswer;
import io.sluice.worker.engine.EngineClient;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.engine.EngineRequest;
import io.sluice.worker.engine.EngineStream;
import io.sluice.worker.engine.Silence;
import io.sluice.worker.engine.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** An engine that plays a script: events, failures, time that passes, or silence. */
public final class ScriptedEngine implements EngineClient {

  /** What happens next. */
  public sealed interface Step {
    record Event(EngineEvent event) implements Step {}

    record Fail(EngineFailure failure) implements Step {}

    record Pass(Duration time) implements Step {}

    /** Nothing more comes until somebody cancels. */
    record Silence() implements Step {}

    record Run(Runnable action) implements Step {}
  }

  private final ManualTime time;
  private final ArrayDeque<List<Step>> scripts = new ArrayDeque<>();
  private final List<EngineRequest> requests = new ArrayList<>();
  private final List<EngineRequest> questions = new ArrayList<>();
  private final Map<String, EngineAnswer> answers = new HashMap<>();
  private Transport.Reach reach = Transport.Reach.SENT;
  private boolean isBusy;
  private final Set<String> slowPaths = new HashSet<>();
  private volatile Runnable beforeAnswers = () -> {};
  private final CountDownLatch silent = new CountDownLatch(1);
  private volatile int cancels;

  public ScriptedEngine(ManualTime time) {
    this.time = time;
  }

  /** Queues the script of the next generation. */
  public synchronized ScriptedEngine plays(Step... steps) {
    scripts.add(List.of(steps));
    return this;
  }

  /** Returns what a small endpoint answers from now on; without it nobody answers. */
  public synchronized ScriptedEngine answers(String path, int status, String body) {
    answers.put(path, new EngineAnswer(status, body.getBytes(StandardCharsets.UTF_8)));
    return this;
  }

  public synchronized ScriptedEngine answersNothing() {
    answers.clear();
    return this;
  }

  /** From now on nobody listens where it was. */
  public synchronized void goes() {
    answers.clear();
    reach = Transport.Reach.REFUSED;
  }

  /** From now on there is no way to it. */
  public synchronized void isCutOff() {
    answers.clear();
    reach = Transport.Reach.UNSENT;
  }

  /** From now on one small endpoint does not answer in time. */
  public synchronized ScriptedEngine tooBusyToAnswer(String path) {
    slowPaths.add(path);
    return this;
  }

  /** From now on no small endpoint answers in time. */
  public synchronized void tooBusyToAnswer() {
    isBusy = true;
  }

  /** Happens whenever a small endpoint is asked in JSON. */
  public void beforeAnswers(Runnable event) {
    beforeAnswers = event;
  }

  public synchronized List<EngineRequest> requests() {
    return List.copyOf(requests);
  }

  /** Returns the body of the last generation. */
  public JsonNode body() {
    try {
      return Json.tree(requests().getLast().body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int cancels() {
    return cancels;
  }

  /** Waits until a generation has nothing more to say. */
  public void awaitSilence() throws InterruptedException {
    if (!silent.await(10, TimeUnit.SECONDS)) {
      throw new AssertionError("no generation fell silent");
    }
  }

  @Override
  public synchronized EngineStream open(EngineRequest request) {
    requests.add(request);
    if (scripts.isEmpty()) {
      throw new AssertionError("nobody expected a generation");
    }
    return new ScriptedStream(new ArrayDeque<>(scripts.poll()));
  }

  @Override
  public synchronized EngineAnswer get(String path, Duration atMost) throws EngineException {
    if (isBusy || slowPaths.contains(path)) {
      throw new EngineException(
          new EngineFailure.Silent(FailureCode.HEAD_TIMEOUT, "no answer in time"));
    }
    EngineAnswer answer = answers.get(path);
    if (answer == null) {
      throw new EngineException(new EngineFailure.Unreachable("nobody is there", reach));
    }
    return answer;
  }

  /** Asks like {@link #get}; what was asked is kept. */
  @Override
  public EngineAnswer post(String path, byte[] json, Duration atMost) throws EngineException {
    beforeAnswers.run();
    synchronized (this) {
      questions.add(new EngineRequest(path, json, false, Silence.NONE, Map.of()));
      return get(path, atMost);
    }
  }

  /** Returns what the small endpoints were asked in JSON. */
  public synchronized List<EngineRequest> questions() {
    return List.copyOf(questions);
  }

  /** Returns a frame of an engine that tells token ids. */
  public static Step ids(String json, int completionTokens, Integer... tokenIds) {
    Step.Event frame = (Step.Event) frame(json, completionTokens);
    EngineEvent.Tokens tokens = (EngineEvent.Tokens) frame.event();
    ObjectNode choice = (ObjectNode) tokens.chunk().toJson().path("choices").path(0);
    choice.set("token_ids", Json.mapper().valueToTree(tokenIds));
    return new Step.Event(
        new EngineEvent.Tokens(
            tokens.chunk(), completionTokens, List.of(tokenIds), tokens.usage(), tokens.bytes()));
  }

  /** Returns a chat frame of an engine that tells token ids. */
  public static Step textIds(String text, int completionTokens, Integer... tokenIds) {
    return ids(
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":%s},\"finish_reason\":null}]}"
            .formatted(Json.text(text)),
        completionTokens,
        tokenIds);
  }

  /** Returns a chat frame. */
  public static Step text(String text, int completionTokens) {
    return frame(
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":%s},\"finish_reason\":null}]}"
            .formatted(Json.text(text)),
        completionTokens);
  }

  /** Returns a chat's last frame. */
  public static Step stop(String reason, int completionTokens) {
    return frame(
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"%s\",\"stop_reason\":null}]}"
            .formatted(reason),
        completionTokens);
  }

  /** Any frame. */
  public static Step frame(String json, int completionTokens) {
    ObjectNode chunk;
    try {
      chunk = (ObjectNode) Json.tree(json.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    chunk.put("id", "chatcmpl-engine").put("created", 7).put("model", "m");
    return new Step.Event(
        new EngineEvent.Tokens(
            new Chunk.Tree(chunk),
            completionTokens,
            List.of(),
            Optional.of(Usage.of(10, completionTokens)),
            json.length()));
  }

  public static Step done(int promptTokens, int completionTokens) {
    return new Step.Event(finish(Usage.of(promptTokens, completionTokens)));
  }

  /** Returns the end of an answer whose prompt was cached in part. */
  public static Step doneWithCached(int promptTokens, int completionTokens, int cachedTokens) {
    return new Step.Event(
        finish(
            new Usage(
                promptTokens,
                completionTokens,
                OptionalInt.of(cachedTokens),
                OptionalInt.empty())));
  }

  /** Returns an end without other fields. */
  public static EngineEvent.Finish finish(Usage usage) {
    return new EngineEvent.Finish(Optional.of(usage), Json.mapper().createObjectNode());
  }

  public static Step fail(EngineFailure failure) {
    return new Step.Fail(failure);
  }

  public static Step pass(Duration time) {
    return new Step.Pass(time);
  }

  public static Step silence() {
    return new Step.Silence();
  }

  public static Step run(Runnable action) {
    return new Step.Run(action);
  }

  private final class ScriptedStream implements EngineStream {
    private final ArrayDeque<Step> steps;
    private final CountDownLatch cancelled = new CountDownLatch(1);

    ScriptedStream(ArrayDeque<Step> steps) {
      this.steps = steps;
    }

    @Override
    public Optional<EngineEvent> next(Duration atMost)
        throws EngineException, InterruptedException {
      if (cancelled.getCount() == 0) {
        throw new EngineException(new EngineFailure.Cancelled());
      }
      return switch (steps.peek()) {
        case null -> throw new AssertionError("the script is over");
        case Step.Event event -> {
          steps.poll();
          yield Optional.of(event.event());
        }
        case Step.Fail fail -> throw new EngineException(fail.failure());
        case Step.Run run -> {
          steps.poll();
          run.action().run();
          yield Optional.empty();
        }
        case Step.Pass pass -> pass(pass.time(), atMost);
        case Step.Silence ignored -> {
          silent.countDown();
          boolean isCancelled = cancelled.await(20, TimeUnit.MILLISECONDS);
          if (isCancelled) {
            throw new EngineException(new EngineFailure.Cancelled());
          }
          yield Optional.empty();
        }
      };
    }

    /** Time passes only as far as the reader is willing to wait. */
    private Optional<EngineEvent> pass(Duration left, Duration atMost) {
      steps.poll();
      if (left.compareTo(atMost) > 0) {
        steps.push(new Step.Pass(left.minus(atMost)));
        time.advance(atMost);
      } else {
        time.advance(left);
      }
      return Optional.empty();
    }

    @Override
    public void cancel() {
      cancels++;
      cancelled.countDown();
    }

    @Override
    public void close() {
      cancelled.countDown();
    }
  }
}
