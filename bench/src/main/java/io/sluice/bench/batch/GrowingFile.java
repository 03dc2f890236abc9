package io.sluice.bench.batch;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file to which another process appends lines. Only the new part is read. Not thread-safe. */
final class GrowingFile {
  private final Path file;
  private final ByteBuffer chunk = ByteBuffer.allocate(64 * 1024);
  private long read;
  private int lines;

  GrowingFile(Path file) {
    this.file = file;
  }

  /** Returns how many lines the file has now; 0 if it does not exist yet. */
  int lines() throws IOException {
    if (!Files.exists(file)) {
      return 0;
    }
    try (FileChannel channel = FileChannel.open(file)) {
      while (channel.read(chunk.clear(), read) > 0) {
        chunk.flip();
        read += chunk.remaining();
        while (chunk.hasRemaining()) {
          lines += chunk.get() == '\n' ? 1 : 0;
        }
      }
    }
    return lines;
  }
}
