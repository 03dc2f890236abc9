package io.sluice.standalone.backend;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Gives a data directory to one process at a time. It is free again when its owner has ended. */
public final class DirectoryLock implements AutoCloseable {
  private static final String LOCK_FILE = "sluice.lock";

  private final FileChannel channel;

  private DirectoryLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Takes an existing directory.
   *
   * @param user who wants it, for the error message
   * @throws BackendStartException if another owner, in this process or another, still runs
   * @throws IOException if the directory is not writable
   */
  public static DirectoryLock take(Path directory, String user) throws IOException {
    FileChannel channel =
        FileChannel.open(
            directory.resolve(LOCK_FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (tryLock(channel) == null) {
      channel.close();
      throw new BackendStartException(
          "%s cannot use the data directory %s: a running one uses it; stop that one or choose another directory"
              .formatted(user, directory));
    }
    return new DirectoryLock(channel);
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException heldByThisProcess) {
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
