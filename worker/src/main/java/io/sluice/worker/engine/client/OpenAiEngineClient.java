package io.sluice.worker.engine.client;

import io.sluice.common.protocol.FailureCode;
import io.sluice.worker.clock.Ticker;
import io.sluice.worker.engine.EngineAnswer;
import io.sluice.worker.engine.EngineClient;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.engine.EngineRequest;
import io.sluice.worker.engine.EngineStream;
import io.sluice.worker.engine.EngineTimeouts;
import io.sluice.worker.engine.Transport;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** An {@link EngineClient} over HTTP and server-sent events. Thread-safe. */
public final class OpenAiEngineClient implements EngineClient {
  private static final int MAX_ANSWER_BYTES = 16 * 1024 * 1024;

  private final Transport transport;
  private final EngineTimeouts timeouts;
  private final Ticker ticker;
  private final Map<String, String> commonHeaders;
  private final RefusalLog refusals = new RefusalLog();

  /**
   * A client of one engine.
   *
   * @param apiKey sent as a bearer token
   */
  public OpenAiEngineClient(
      Transport transport, EngineTimeouts timeouts, Ticker ticker, Optional<String> apiKey) {
    this.transport = transport;
    this.timeouts = timeouts;
    this.ticker = ticker;
    this.commonHeaders =
        apiKey.map(key -> Map.of("Authorization", "Bearer " + key)).orElse(Map.of());
  }

  @Override
  public EngineStream open(EngineRequest request) {
    Map<String, String> headers = new HashMap<>(commonHeaders);
    headers.putAll(request.headers());
    headers.put("Content-Type", "application/json");
    headers.put("Accept", request.isStreamed() ? "text/event-stream" : "application/json");
    var call = new Transport.Call("POST", request.path(), headers, request.body());
    return new SseEngineStream(transport.send(call), request, timeouts, ticker, refusals);
  }

  @Override
  public EngineAnswer get(String path, Duration atMost)
      throws EngineException, InterruptedException {
    return ask(new Transport.Call("GET", path, commonHeaders, new byte[0]), atMost);
  }

  @Override
  public EngineAnswer post(String path, byte[] json, Duration atMost)
      throws EngineException, InterruptedException {
    Map<String, String> headers = new HashMap<>(commonHeaders);
    headers.put("Content-Type", "application/json");
    return ask(new Transport.Call("POST", path, headers, json), atMost);
  }

  private EngineAnswer ask(Transport.Call call, Duration atMost)
      throws EngineException, InterruptedException {
    String path = call.path();
    var exchange = transport.send(call);
    long start = ticker.nanos();
    int status = 0;
    var body = new ByteArrayOutputStream();
    try {
      while (true) {
        long left = atMost.toNanos() - (ticker.nanos() - start);
        Transport.Signal signal =
            exchange.poll(Math.max(0, left)).orElseThrow(() -> silent(path, atMost));
        switch (signal) {
          case Transport.Signal.Head head -> status = head.status();
          case Transport.Signal.Bytes bytes -> body.writeBytes(bytes.bytes());
          case Transport.Signal.Failed failed ->
              throw new EngineException(
                  new EngineFailure.Unreachable(failed.reason(), failed.reach()));
          case Transport.Signal.End ignored -> {
            return new EngineAnswer(status, body.toByteArray());
          }
        }
        if (body.size() > MAX_ANSWER_BYTES) {
          throw new EngineException(
              new EngineFailure.Broken(
                  FailureCode.GARBLED, path + " answered with more than 16 MiB"));
        }
      }
    } finally {
      exchange.abort();
    }
  }

  private static EngineException silent(String path, Duration atMost) {
    return new EngineException(
        new EngineFailure.Silent(
            FailureCode.HEAD_TIMEOUT,
            path + " did not answer within " + atMost.toMillis() + " ms"));
  }
}
