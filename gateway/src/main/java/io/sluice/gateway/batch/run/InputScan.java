package io.sluice.gateway.batch.run;

import io.sluice.common.protocol.Sha256;
import io.sluice.gateway.batch.record.LineProblem;
import io.sluice.gateway.http.TenantShares;
import io.sluice.producer.batch.BatchLine;
import io.sluice.producer.batch.LineErrorCode;
import io.sluice.producer.batch.Lines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a first reading of an input tells. It holds a hash of each custom_id while it reads, some 60
 * bytes with its place in the set, and one bit for each line afterwards.
 *
 * @param requests the lines that are not blank
 * @param model that of the first line that names one
 * @param repeated the numbers of the lines whose custom_id an earlier line has
 * @param problems of single lines, the first of them
 * @param refusal why the input as a whole cannot be run
 */
record InputScan(
    long requests,
    Optional<String> model,
    BitSet repeated,
    List<LineProblem> problems,
    Optional<LineProblem> refusal) {
  /** Every gateway holds them in memory. */
  private static final int SHOWN_PROBLEMS = 100;

  private static final int SHOWN_CHARS = 200;

  private record Hash(long high, long low) {
    static Hash of(String text) {
      ByteBuffer digest = ByteBuffer.wrap(Sha256.of(text));
      return new Hash(digest.getLong(), digest.getLong());
    }
  }

  /** The requests read so far. */
  private static final class Requests {
    private final Set<Hash> seen = new HashSet<>();
    private final String endpoint;
    private final LineMemory memory;
    private Optional<String> model = Optional.empty();

    Requests(String endpoint, LineMemory memory) {
      this.endpoint = endpoint;
      this.memory = memory;
    }

    Optional<BatchLine.Broken> problem(Lines.Line line) throws InterruptedException {
      try (TenantShares.Share _ = memory.take(List.of(line.text()))) {
        return switch (BatchLine.parse(line, List.of(endpoint))) {
          case BatchLine.Broken broken -> Optional.of(broken);
          case BatchLine.Item item when seen.add(Hash.of(item.customId())) -> {
            model = model.or(() -> modelOf(item));
            yield Optional.empty();
          }
          case BatchLine.Item item -> Optional.of(BatchLine.repeated(item));
        };
      }
    }

    private static Optional<String> modelOf(BatchLine.Item item) {
      return Optional.ofNullable(item.body().path("model").textValue())
          .filter(name -> name.length() <= SHOWN_CHARS);
    }
  }

  /**
   * Reads an input to its end, or until it has too many lines. Waits until each can be parsed.
   *
   * @param endpoint the path that all lines have to name
   */
  static InputScan of(Lines lines, String endpoint, int maxRequests, LineMemory memory)
      throws IOException, InterruptedException {
    Requests found = new Requests(endpoint, memory);
    BitSet repeated = new BitSet();
    List<LineProblem> problems = new ArrayList<>();
    int requests = 0;
    int broken = 0;
    for (Optional<Lines.Line> line = lines.next(); line.isPresent(); line = lines.next()) {
      if (line.get().isBlank()) {
        continue;
      }
      if (++requests > maxRequests) {
        return refused(
            requests, "too_many_lines", "the input has more than %d lines".formatted(maxRequests));
      }
      int number = Math.toIntExact(line.get().number());
      Optional<BatchLine.Broken> problem = found.problem(line.get());
      if (problem.isPresent()) {
        broken++;
        repeated.set(number, problem.get().code() == LineErrorCode.DUPLICATE_CUSTOM_ID);
        if (problems.size() < SHOWN_PROBLEMS) {
          problems.add(
              new LineProblem(
                  problem.get().code().code(), shown(problem.get().message()), (long) number));
        }
      }
    }
    if (requests == 0) {
      return refused(0, "empty_file", "the input has no lines");
    }
    Optional<LineProblem> refusal =
        broken < requests
            ? Optional.empty()
            : Optional.of(new LineProblem("no_valid_lines", "no line is a request", null));
    return new InputScan(requests, found.model, repeated, List.copyOf(problems), refusal);
  }

  private static String shown(String message) {
    return message.length() > SHOWN_CHARS ? message.substring(0, SHOWN_CHARS) + "..." : message;
  }

  private static InputScan refused(long requests, String code, String message) {
    return new InputScan(
        requests,
        Optional.empty(),
        new BitSet(),
        List.of(),
        Optional.of(new LineProblem(code, message, null)));
  }

  /** Parses a line. */
  BatchLine line(Lines.Line line, String endpoint) {
    BatchLine parsed = BatchLine.parse(line, List.of(endpoint));
    return parsed instanceof BatchLine.Item item && repeated.get(Math.toIntExact(line.number()))
        ? BatchLine.repeated(item)
        : parsed;
  }
}
