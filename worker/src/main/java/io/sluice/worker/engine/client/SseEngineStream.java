package io.sluice.worker.engine.client;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import io.sluice.worker.clock.Ticker;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.engine.EngineRequest;
import io.sluice.worker.engine.EngineStream;
import io.sluice.worker.engine.EngineTimeouts;
import io.sluice.worker.engine.Transport;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * A generation over HTTP. A streamed one has a head, frames and an end, each with its own time
 * limit. One that is not streamed comes as a whole, and its reader may wait as long as it likes. A
 * failure is final.
 */
final class SseEngineStream implements EngineStream {

  /** What has come and is not read yet. */
  private interface Frame {
    /** Reads it; empty if it has no event. */
    Optional<EngineEvent> read() throws EngineException;
  }

  private static final int MAX_EVENT_BYTES = 8 * 1024 * 1024;
  private static final int MAX_ERROR_BYTES = 1024 * 1024;

  /** Slightly more than a reply record may have. */
  private static final int MAX_WHOLE_BYTES = 9 * 1024 * 1024;

  /**
   * How long to wait for the response to end after [DONE], so that the connection can be reused.
   */
  private static final Duration END_WAIT = Duration.ofMillis(100);

  private final Transport.Exchange exchange;
  private final boolean isStreamed;
  private final SilenceLimit limit;
  private final Ticker ticker;
  private final RefusalLog refusals;
  private final SseDecoder decoder = new SseDecoder(MAX_EVENT_BYTES);
  private final ChunkReader chunks = new ChunkReader();
  private final ArrayDeque<Frame> frames = new ArrayDeque<>();
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private volatile boolean cancelled;
  private boolean ended;
  private Transport.Signal.Head head =
      new Transport.Signal.Head(0, Optional.empty(), Optional.empty());

  SseEngineStream(
      Transport.Exchange exchange,
      EngineRequest request,
      EngineTimeouts timeouts,
      Ticker ticker,
      RefusalLog refusals) {
    this.exchange = exchange;
    this.isStreamed = request.isStreamed();
    this.refusals = refusals;
    this.limit = new SilenceLimit(request, timeouts, ticker);
    this.ticker = ticker;
  }

  @Override
  public Optional<EngineEvent> next(Duration atMost) throws EngineException, InterruptedException {
    long start = ticker.nanos();
    while (limit.phase() != Phase.FINISHED) {
      if (cancelled) {
        throw new EngineException(new EngineFailure.Cancelled());
      }
      Optional<EngineEvent> event = fromFrames();
      if (event.isPresent()) {
        return event;
      }
      long untilReturn = atMost.toNanos() - (ticker.nanos() - start);
      long untilSilent = limit.leftNanos();
      var signal = exchange.poll(Math.max(0, Math.min(untilReturn, untilSilent)));
      if (signal.isPresent()) {
        event = take(signal.get());
        if (event.isPresent()) {
          return event;
        }
      } else if (untilSilent <= untilReturn) {
        throw limit.phase() == Phase.ERROR_BODY
            ? errorAnswer()
            : new EngineException(limit.exceeded());
      } else {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  @Override
  public void cancel() {
    cancelled = true;
    exchange.abort();
  }

  @Override
  public void close() {
    if (limit.phase() == Phase.FINISHED && !ended) {
      awaitEnd();
    }
    exchange.abort();
  }

  private Optional<EngineEvent> fromFrames() throws EngineException {
    while (!frames.isEmpty()) {
      Optional<EngineEvent> event = frames.remove().read();
      if (event.isPresent()) {
        note(event.get());
        return event;
      }
    }
    return Optional.empty();
  }

  /**
   * A frame with only the role does not prove that the queue is passed, so the wait for the first
   * token continues.
   */
  private void note(EngineEvent event) {
    switch (event) {
      case EngineEvent.Finish ignored -> limit.enter(Phase.FINISHED);
      case EngineEvent.Tokens tokens -> {
        if (limit.phase() == Phase.TOKENS || tokens.completionTokens() > 0) {
          limit.enter(Phase.TOKENS);
        }
      }
      case EngineEvent.Head ignored -> {}
    }
  }

  private Optional<EngineEvent> take(Transport.Signal signal) throws EngineException {
    return switch (signal) {
      case Transport.Signal.Head newHead -> takeHead(newHead);
      case Transport.Signal.Bytes bytes -> {
        takeBytes(bytes.bytes());
        yield Optional.empty();
      }
      case Transport.Signal.End ignored -> takeEnd();
      case Transport.Signal.Failed failed -> throw failed(failed);
    };
  }

  private Optional<EngineEvent> takeHead(Transport.Signal.Head newHead) throws EngineException {
    head = newHead;
    if (head.status() != 200) {
      limit.enter(Phase.ERROR_BODY);
      return Optional.empty();
    }
    String type = head.contentType().orElse("none");
    if (!type.startsWith(isStreamed ? "text/event-stream" : "application/json")) {
      throw garbled("the engine answered with content type " + type);
    }
    limit.enter(isStreamed ? Phase.FIRST_TOKEN : Phase.WHOLE_BODY);
    return Optional.of(new EngineEvent.Head());
  }

  private void takeBytes(byte[] bytes) throws EngineException {
    switch (limit.phase()) {
      case ERROR_BODY -> {
        body.write(bytes, 0, Math.min(bytes.length, MAX_ERROR_BYTES - body.size()));
        if (body.size() == MAX_ERROR_BYTES) {
          throw errorAnswer();
        }
      }
      case WHOLE_BODY -> {
        if (body.size() + bytes.length > MAX_WHOLE_BYTES) {
          String message =
              "the answer has more than %d bytes; lower prompt_logprobs, max_tokens or n"
                  .formatted(MAX_WHOLE_BYTES);
          throw new EngineException(
              new EngineFailure.Rejected(0, ErrorKind.ANSWER_TOO_LARGE, message, false));
        }
        limit.heard();
        body.writeBytes(bytes);
      }
      default -> decoder.feed(bytes, data -> frames.add(() -> chunks.read(data)));
    }
  }

  private Optional<EngineEvent> takeEnd() throws EngineException {
    ended = true;
    if (limit.phase() == Phase.ERROR_BODY) {
      throw errorAnswer();
    }
    if (limit.phase() == Phase.WHOLE_BODY) {
      WholeAnswer.frames(body.toByteArray()).forEach(frame -> frames.add(() -> chunks.read(frame)));
      frames.add(() -> Optional.of(chunks.finish()));
      return Optional.empty();
    }
    EngineEvent finish = chunks.end();
    limit.enter(Phase.FINISHED);
    return Optional.of(finish);
  }

  /** The status says what failed, even if only a part of the body has come. */
  private EngineException errorAnswer() {
    EngineFailure failure =
        ErrorAnswer.ofResponse(head.status(), body.toByteArray(), head.retryAfter());
    refusals.note(failure);
    return new EngineException(failure);
  }

  private EngineException failed(Transport.Signal.Failed signal) {
    ended = true;
    if (limit.phase() == Phase.ERROR_BODY && !cancelled) {
      return errorAnswer();
    }
    return new EngineException(cancelled ? new EngineFailure.Cancelled() : failure(signal));
  }

  private EngineFailure failure(Transport.Signal.Failed signal) {
    if (limit.phase() != Phase.HEAD) {
      return new EngineFailure.Broken(
          FailureCode.CUT, "the engine's stream was cut: " + signal.reason());
    }
    String message = "the engine cannot be reached: " + signal.reason();
    return new EngineFailure.Unreachable(message, signal.reach());
  }

  private static EngineException garbled(String message) {
    return new EngineException(new EngineFailure.Broken(FailureCode.GARBLED, message));
  }

  private void awaitEnd() {
    long start = ticker.nanos();
    try {
      while (!ended) {
        long left = END_WAIT.toNanos() - (ticker.nanos() - start);
        Optional<Transport.Signal> signal = exchange.poll(Math.max(0, left));
        ended =
            signal.isEmpty()
                || signal.get() instanceof Transport.Signal.End
                || signal.get() instanceof Transport.Signal.Failed;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
