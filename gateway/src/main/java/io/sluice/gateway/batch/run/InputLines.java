package io.sluice.gateway.batch.run;

import io.sluice.gateway.http.TenantShares;
import io.sluice.producer.batch.Lines;
import io.sluice.producer.batch.Lines.Position;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The lines of an input, from a place on, without those that are blank. Each is parsed only while
 * there is memory for its tree. Not thread-safe.
 */
final class InputLines implements AutoCloseable {
  private final Lines lines;
  private final InputScan scan;
  private final String endpoint;
  private final LineMemory memory;
  private long count;

  /**
   * A line that was read.
   *
   * @param after the place behind it
   * @param bytes its size
   */
  record Read(InputLine line, Position after, int bytes) {}

  /**
   * @param lines are closed with this
   * @param scan of the whole input
   * @param endpoint the path that all lines have to name
   */
  InputLines(Lines lines, InputScan scan, String endpoint, LineMemory memory) {
    this.lines = lines;
    this.scan = scan;
    this.endpoint = endpoint;
    this.memory = memory;
  }

  /** Returns the next line; empty at the end of the input. Waits until it can be parsed. */
  Optional<Read> next() throws IOException, InterruptedException {
    for (Optional<Lines.Line> next = lines.next(); next.isPresent(); next = lines.next()) {
      Lines.Line line = next.get();
      if (!line.isBlank()) {
        count++;
        return Optional.of(new Read(parsed(line), lines.position(), line.text().length));
      }
    }
    return Optional.empty();
  }

  /** Returns how many lines were read, without those that are blank. */
  long count() {
    return count;
  }

  private InputLine parsed(Lines.Line line) throws InterruptedException {
    try (TenantShares.Share _ = memory.take(List.of(line.text()))) {
      return InputLine.of(line.number(), scan.line(line, endpoint));
    }
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
