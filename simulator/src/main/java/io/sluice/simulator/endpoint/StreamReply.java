package io.sluice.simulator.endpoint;

import io.sluice.simulator.engine.FinishReason;
import io.sluice.simulator.http.EventStream;
import io.sluice.simulator.http.Exchange;
import io.sluice.simulator.openai.request.ApiError;
import io.sluice.simulator.openai.request.GenerationRequest;
import io.sluice.simulator.openai.response.ResponseFormat;
import io.sluice.simulator.serving.ChoiceOutput;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Answers with a stream of events. The engine never waits for the client: outputs that the
 * connection cannot accept yet are merged, so that at most one output per choice is kept. A slow
 * client gets fewer and larger frames.
 */
final class StreamReply implements Reply {

  private static final byte[] END_MARKER = "[DONE]".getBytes(StandardCharsets.US_ASCII);

  private final Exchange exchange;
  private final EventStream stream;
  private final ResponseFormat format;
  private final GenerationRequest request;

  private final Map<Integer, ChoiceOutput> pending = new LinkedHashMap<>();
  private boolean drainScheduled;

  private final List<ChoiceOutput> finished = new ArrayList<>();
  private boolean opened;
  private boolean withMarker = true;

  private StreamReply(
      Exchange exchange, EventStream stream, ResponseFormat format, GenerationRequest request) {
    this.exchange = exchange;
    this.stream = stream;
    this.format = format;
    this.request = request;
  }

  /** Sends the head and returns the reply. */
  static StreamReply open(
      Exchange exchange,
      Optional<Duration> keepAlive,
      ResponseFormat format,
      GenerationRequest request) {
    StreamReply reply = new StreamReply(exchange, exchange.openStream(keepAlive), format, request);
    exchange.onWritable(reply::drain);
    return reply;
  }

  @Override
  public void onOutput(ChoiceOutput output) {
    synchronized (pending) {
      pending.merge(output.choice(), output, ChoiceOutput::then);
      if (drainScheduled) {
        return;
      }
      drainScheduled = true;
    }
    exchange.execute(this::drain);
  }

  @Override
  public void fail(ApiError error) {
    if (!exchange.isEnded()) {
      fail(stream, error);
    }
  }

  /** Ends an open stream with an error frame. */
  static void fail(EventStream stream, ApiError error) {
    stream.event(error.pythonBody().getBytes(StandardCharsets.US_ASCII));
    stream.event(END_MARKER);
    stream.end();
  }

  @Override
  public void cutWithin(ChoiceOutput output) {
    drain();
    if (!exchange.isEnded()) {
      stream.halfEvent(format.output(output).getLast());
    }
  }

  @Override
  public void garble(ChoiceOutput output) {
    drain();
    if (!exchange.isEnded()) {
      begin();
      byte[] frame = format.output(output).getLast();
      stream.event(Arrays.copyOf(frame, frame.length * 2 / 3));
      stream.flush();
      finishIfLast(output);
    }
  }

  @Override
  public void withoutMarker() {
    withMarker = false;
  }

  private void drain() {
    boolean any = false;
    while (!exchange.isEnded()) {
      Optional<ChoiceOutput> next = next();
      if (next.isEmpty()) {
        break;
      }
      any = true;
      send(next.get());
    }
    if (any) {
      stream.flush();
    }
  }

  private Optional<ChoiceOutput> next() {
    synchronized (pending) {
      if (pending.isEmpty() || !exchange.isWritable()) {
        // A blocked connection drains again when it becomes writable.
        drainScheduled = !pending.isEmpty();
        return Optional.empty();
      }
      Iterator<ChoiceOutput> oldest = pending.values().iterator();
      while (oldest.hasNext()) {
        ChoiceOutput output = oldest.next();
        if (!request.beams() || output.finish().isPresent()) {
          oldest.remove();
          return Optional.of(output);
        }
      }
      // The beams of a search are sent only when they are complete.
      drainScheduled = false;
      return Optional.empty();
    }
  }

  private void send(ChoiceOutput output) {
    if (output.finish().isPresent() && output.finish().get().reason() == FinishReason.ERROR) {
      fail(ApiError.engineFailure());
      return;
    }
    begin();
    // An incomplete character and held-back text produce no frame of their own.
    if (!output.text().isEmpty() || output.finish().isPresent() || showsTokens()) {
      format.output(output).forEach(stream::event);
    }
    finishIfLast(output);
  }

  private boolean showsTokens() {
    return request.shape().tokenIds() || request.shape().logprobs().answer().isPresent();
  }

  private void begin() {
    if (!opened) {
      opened = true;
      format.opening().forEach(stream::event);
    }
  }

  private void finishIfLast(ChoiceOutput output) {
    if (output.finish().isEmpty()) {
      return;
    }
    finished.add(output);
    if (finished.size() < request.choices()) {
      return;
    }
    if (request.streaming().includeUsage()) {
      stream.event(format.usage(finished));
    }
    if (withMarker) {
      stream.event(END_MARKER);
    }
    stream.end();
  }
}
