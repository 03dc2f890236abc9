package io.sluice.producer.batch;

import io.sluice.producer.FileProblem;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An output file that survives interruption. A line is written with one write. On opening, a line
 * that an earlier run left incomplete is removed, and so are results that are not settled.
 * Thread-safe.
 */
final class ResultFile implements AutoCloseable {
  private static final int MAX_LINE_BYTES = 64 * 1024 * 1024;
  private static final Logger log = LoggerFactory.getLogger(ResultFile.class);

  private final Path path;
  private final FileChannel channel;
  private @Nullable IOException failure;

  private ResultFile(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  /**
   * Opens or creates the file.
   *
   * @param settled receives each line of an earlier run that is kept
   * @throws BatchFileException if the file cannot be written or is not the output of a batch job
   */
  static ResultFile open(Path path, Consumer<ResultLine> settled) {
    try {
      if (Files.isDirectory(path)) {
        throw new BatchFileException("cannot write " + path + ": it is a directory");
      }
      // A pipe or a device has no content to continue from.
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

  /**
   * Appends a line. After a failure, such as a full disk, the file keeps the lines before, and
   * takes no more of them: what follows half a line would be lost with it.
   */
  synchronized void append(ResultLine line) throws IOException {
    IOException earlier = failure;
    if (earlier != null) {
      throw earlier;
    }
    long end = channel.position();
    ByteBuffer bytes = ByteBuffer.wrap(line.bytes());
    try {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException e) {
      failure = e;
      cutBackTo(end);
      throw e;
    }
  }

  /** If this fails, the half line is the last one, which the next run removes. */
  private void cutBackTo(long end) {
    try {
      channel.truncate(end);
    } catch (IOException e) {
      log.debug("event=half_line_not_removed path={}", path, e);
    }
  }

  Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  /** Reads the lines. The file is replaced as a whole, and only if lines have to be removed. */
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

  /** Returns the line if it is kept. An incomplete last line is not. */
  private static Optional<ResultLine> settled(Path path, Lines.Line line) {
    if (line.isBlank()) {
      return Optional.empty();
    }
    Optional<ResultLine> result = ResultLine.parse(line.text());
    if (result.isEmpty() && !line.isTorn()) {
      throw new BatchFileException(
          "%s exists, and its line %d is not a batch result: choose another output file"
              .formatted(path, line.number()));
    }
    return result.filter(ResultLine::isSettled);
  }
}
