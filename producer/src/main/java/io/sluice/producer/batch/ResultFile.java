package io.sluice.producer.batch;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * An output file that survives being interrupted: a line is written in one piece, what an earlier
 * run left half-written is cut off, and what it left unsettled is taken out. Thread-safe.
 */
final class ResultFile implements AutoCloseable {
  private static final int MAX_LINE_BYTES = 64 * 1024 * 1024;

  private final Path path;
  private final FileChannel channel;

  private ResultFile(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  /**
   * Opens or creates the file.
   *
   * @param settled is told of each line of an earlier run that stays
   * @throws BatchFileException if it cannot be written, or is no output of a batch job
   */
  static ResultFile open(Path path, Consumer<ResultLine> settled) {
    try {
      if (Files.isDirectory(path)) {
        throw new BatchFileException("cannot write " + path + ": it is a directory");
      }
      // A pipe or a device keeps nothing to continue from.
      if (Files.isRegularFile(path)) {
        keepSettled(path, settled);
      }
      return new ResultFile(
          path,
          FileChannel.open(
              path,
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE,
              StandardOpenOption.APPEND));
    } catch (IOException e) {
      throw new BatchFileException("cannot write " + path + ": " + FileProblem.of(e), e);
    }
  }

  /** Appends a line. */
  synchronized void append(ResultLine line) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(line.bytes());
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  /** Goes through the lines; the file is replaced, as a whole, only if some of them change. */
  private static void keepSettled(Path path, Consumer<ResultLine> settled) throws IOException {
    if (!Files.isWritable(path)) {
      throw new BatchFileException("cannot write " + path + ": permission denied");
    }
    boolean isAsItShouldBe = true;
    try (Lines lines = new Lines(path, MAX_LINE_BYTES)) {
      for (Optional<Lines.Line> line = lines.next(); line.isPresent(); line = lines.next()) {
        Optional<ResultLine> result = settled(path, line.get());
        isAsItShouldBe &= result.isPresent() && !line.get().isTorn();
        result.ifPresent(settled);
      }
    }
    if (!isAsItShouldBe) {
      rewrite(path.toRealPath());
    }
  }

  private static void rewrite(Path path) throws IOException {
    Path draft = path.resolveSibling(path.getFileName() + ".tmp");
    try (Lines lines = new Lines(path, MAX_LINE_BYTES);
        OutputStream output = new BufferedOutputStream(Files.newOutputStream(draft))) {
      for (Optional<Lines.Line> line = lines.next(); line.isPresent(); line = lines.next()) {
        if (settled(path, line.get()).isPresent()) {
          output.write(line.get().text());
          output.write('\n');
        }
      }
    }
    Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** The line, if it stays. A last line that was not written to its end does not. */
  private static Optional<ResultLine> settled(Path path, Lines.Line line) {
    if (line.isBlank()) {
      return Optional.empty();
    }
    Optional<ResultLine> result = ResultLine.parse(line.text());
    if (result.isEmpty() && !line.isTorn()) {
      throw new BatchFileException(
          "%s exists, and its line %d is not a batch result: name another output file"
              .formatted(path, line.number()));
    }
    return result.filter(ResultLine::isSettled);
  }
}
