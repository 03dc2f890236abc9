package io.sluice.bench.trace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A recorded or generated trace, in the order of arrival. Immutable.
 *
 * @param name the file's name, or that of a generated one
 * @param requests at least two
 * @param hasPrefixes whether it says which tokens prompts share
 */
public record Trace(String name, List<TraceRequest> requests, boolean hasPrefixes) {
  /** How many tokens one block id stands for. */
  public static final int BLOCK_TOKENS = 512;

  public Trace {
    requests = List.copyOf(requests);
  }

  /**
   * Reads a trace: {@code .csv} in the form of the Azure LLM inference traces, {@code .jsonl} in
   * that of Mooncake.
   *
   * @throws BadTraceException if the file has neither form; the message names the line
   */
  public static Trace read(Path file) throws IOException {
    String name = String.valueOf(file.getFileName());
    if (!Files.isReadable(file)) {
      throw new BadTraceException("cannot read the trace " + file + ": there is no such file");
    }
    List<String> lines = Files.readAllLines(file);
    boolean isJson = name.endsWith(".jsonl");
    if (!isJson && !name.endsWith(".csv")) {
      throw new BadTraceException(
          "the trace %s is neither .csv (Azure) nor .jsonl (Mooncake)".formatted(name));
    }
    List<TraceRequest> requests =
        isJson ? MooncakeLines.read(name, lines) : AzureLines.read(name, lines);
    if (requests.size() < 2) {
      throw new BadTraceException("the trace %s has fewer than two requests".formatted(name));
    }
    return new Trace(name, requests, isJson);
  }

  /** Returns the time from the first arrival to the last one. */
  public long spanNanos() {
    return requests.getLast().arrivalNanos() - requests.getFirst().arrivalNanos();
  }

  /** Requests per second on average. */
  public double rate() {
    return requests.size() * 1e9 / Math.max(1, spanNanos());
  }

  /**
   * Returns the resolution of arrival times. Traces that were recorded in coarse ticks have many
   * requests with the same time. 0 if most requests have different times.
   */
  public long tickNanos() {
    long distinct = requests.stream().mapToLong(TraceRequest::arrivalNanos).distinct().count();
    return distinct * 2 > requests.size() ? 0 : spanNanos() / Math.max(1, distinct - 1);
  }

  /** Returns the largest sum of prompt and output of a request, in tokens. */
  public int longestContextTokens() {
    return requests.stream().mapToInt(TraceRequest::contextTokens).max().orElse(0);
  }
}
