package io.sluice.worker.watchdog;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.worker.engine.EngineClient;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineRequest;
import io.sluice.worker.engine.EngineStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests to an engine that has just booted, so that what it compiles and allocates at its first
 * requests is there before callers wait for it. Their prompts have 32 to 2,048 words, as far as the
 * engine's context allows, so each tier is warmed up with prompts of the lengths that it serves. No
 * prompt is a prefix of another. A failed request has no consequence.
 */
final class WarmUp {
  private static final int[] WORDS = {32, 128, 512, 2_048};
  private static final int CONTEXT_PER_WORD = 4;
  private static final int OUTPUT_TOKENS = 16;
  private static final int AT_ONCE = 4;
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Logger log = LoggerFactory.getLogger(WarmUp.class);

  private final EngineClient engine;
  private final int requests;

  /** A warm-up with a number of requests; 0 for none. */
  WarmUp(EngineClient engine, int requests) {
    this.engine = engine;
    this.requests = requests;
  }

  /** Sends all requests, four at a time; returns when they have ended, within two minutes. */
  void run(String model, int maxModelLen) throws InterruptedException {
    int[] lengths =
        IntStream.of(WORDS).filter(words -> words * CONTEXT_PER_WORD <= maxModelLen).toArray();
    if (requests == 0 || lengths.length == 0) {
      return;
    }
    List<Callable<Boolean>> calls =
        IntStream.range(0, requests)
            .mapToObj(i -> body(model, i, lengths[i % lengths.length]))
            .map(body -> (Callable<Boolean>) () -> answer(body))
            .toList();
    var threads =
        Executors.newFixedThreadPool(
            AT_ONCE, Thread.ofVirtual().name("sluice-warm-up-", 0).factory());
    try {
      List<Future<Boolean>> ends =
          threads.invokeAll(calls, LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      long answered = ends.stream().filter(WarmUp::isAnswered).count();
      log.info("event=engine_warmed_up answered={} of={}", answered, requests);
    } finally {
      threads.shutdownNow();
    }
  }

  private static boolean isAnswered(Future<Boolean> end) {
    return end.state() == Future.State.SUCCESS && end.resultNow();
  }

  private boolean answer(byte[] body) throws InterruptedException {
    try (EngineStream stream =
        engine.open(new EngineRequest("/v1/chat/completions", body, true, Map.of()))) {
      Optional<EngineEvent> event = Optional.empty();
      while (event.isEmpty() || !(event.get() instanceof EngineEvent.Finish)) {
        event = stream.next(POLL);
      }
      return true;
    } catch (EngineException e) {
      log.info("event=warm_up_failed reason=\"{}\"", e.getMessage());
      return false;
    }
  }

  private static byte[] body(String model, int number, int words) {
    ObjectNode body = Json.mapper().createObjectNode();
    body.put("model", model).put("stream", true).put("max_tokens", OUTPUT_TOKENS);
    body.putArray("messages")
        .addObject()
        .put("role", "user")
        .put("content", number + " warm".repeat(words));
    return Json.bytes(body);
  }
}
