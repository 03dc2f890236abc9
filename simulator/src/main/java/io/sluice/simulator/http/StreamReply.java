package io.sluice.simulator.http;

import io.sluice.simulator.serving.ChoiceOutput;
import io.sluice.simulator.serving.OutputListener;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Answers with events. The engine never waits for the client: outputs that the connection cannot
 * take yet are merged per choice, so at most one output per choice is kept, and a slow client gets
 * fewer and larger frames.
 */
final class StreamReply implements OutputListener {

  private final Exchange exchange;
  private final ResponseFormat format;
  private final GenerationRequest request;

  private final Map<Integer, ChoiceOutput> pending = new LinkedHashMap<>();
  private boolean drainScheduled;

  private boolean opened;
  private int finishedChoices;
  private int outputTokens;

  StreamReply(Exchange exchange, ResponseFormat format, GenerationRequest request) {
    this.exchange = exchange;
    this.format = format;
    this.request = request;
  }

  void open() {
    exchange.openStream();
    exchange.onWritable(this::drain);
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

  /** Ends the stream with an error frame. */
  void fail(ApiError error) {
    if (!exchange.isEnded()) {
      exchange.event(error.pythonBody().getBytes(StandardCharsets.US_ASCII));
      exchange.closeStream();
    }
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
      exchange.flush();
    }
  }

  private Optional<ChoiceOutput> next() {
    synchronized (pending) {
      if (pending.isEmpty() || !exchange.isWritable()) {
        // While the connection is blocked, its becoming writable is what drains again.
        drainScheduled = !pending.isEmpty();
        return Optional.empty();
      }
      Iterator<ChoiceOutput> oldest = pending.values().iterator();
      ChoiceOutput output = oldest.next();
      oldest.remove();
      return Optional.of(output);
    }
  }

  private void send(ChoiceOutput output) {
    if (!opened) {
      opened = true;
      format.opening().forEach(exchange::event);
    }
    // Bytes of an unfinished character or held-back text make no frame of their own.
    if (!output.text().isEmpty() || output.finish().isPresent() || request.returnTokenIds()) {
      exchange.event(format.output(output));
    }
    if (output.finish().isPresent()) {
      finishedChoices++;
      outputTokens += output.outputTokens();
      if (finishedChoices == request.choices()) {
        if (request.includeUsage()) {
          exchange.event(format.usage(new Usage(request.promptTokens(), outputTokens)));
        }
        exchange.closeStream();
      }
    }
  }
}
