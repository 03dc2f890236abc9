package io.sluice.simulator.fit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;

/**
 * Records when each line of a streamed answer arrives. The lines are parsed at the end, so that
 * parsing does not delay the reading. For one stream. Not thread-safe.
 */
final class StreamReader implements Flow.Subscriber<String> {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String DATA = "data: ";

  private record Line(long nanos, String text) {}

  private final long sentNanos;
  private final List<Line> lines = new ArrayList<>();

  StreamReader(long sentNanos) {
    this.sentNanos = sentNanos;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(String text) {
    lines.add(new Line(System.nanoTime(), text));
  }

  @Override
  public void onError(Throwable failure) {
    // The future of the answer fails with the same error.
  }

  @Override
  public void onComplete() {
    // The future of the answer completes then.
  }

  /**
   * Returns when the tokens arrived.
   *
   * @throws IllegalStateException if the engine rejected the request, or if its frames do not count
   *     tokens
   */
  TokenTimes times(int status) {
    if (status != 200) {
      throw new IllegalStateException("The engine answered %d: %s".formatted(status, joined()));
    }
    List<TokenTimes.Frame> frames = new ArrayList<>();
    int tokens = 0;
    for (Line line : lines) {
      if (line.text().startsWith(DATA + "{")) {
        int now = completionTokens(line.text().substring(DATA.length()));
        if (now > tokens) {
          frames.add(new TokenTimes.Frame(line.nanos(), now));
          tokens = now;
        }
      }
    }
    if (frames.isEmpty()) {
      throw new IllegalStateException(
          "The engine streamed no usage (stream_options.continuous_usage_stats): " + joined());
    }
    return new TokenTimes(sentNanos, frames);
  }

  private String joined() {
    return lines.stream().map(Line::text).limit(5).reduce("", (a, b) -> a + b + " ").strip();
  }

  private static int completionTokens(String json) {
    try {
      JsonNode frame = JSON.readTree(json);
      if (frame.has("error")) {
        throw new IllegalStateException("The engine failed: " + frame.path("error"));
      }
      return frame.path("usage").path("completion_tokens").asInt();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("The engine streamed a frame that is not JSON: " + json, e);
    }
  }
}
