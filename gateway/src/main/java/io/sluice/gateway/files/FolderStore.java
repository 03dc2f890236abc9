package io.sluice.gateway.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/** Values as files of a folder, which may be shared by machines. Thread-safe. */
public final class FolderStore implements ObjectStore {
  private static final String UNFINISHED = ".unfinished";

  /** A crash leaves them; no write takes this long. */
  private static final Duration UNFINISHED_FOR = Duration.ofDays(1);

  /** Another gateway can remove a folder as empty before a value is in it. */
  private static final int TRIES = 20;

  private final Path root;
  private final Path unfinished;

  private FolderStore(Path root) {
    this.root = root;
    this.unfinished = root.resolve(UNFINISHED);
  }

  /**
   * Opens a folder, which is created if it is missing.
   *
   * @throws StorageException if it cannot be written to
   */
  public static FolderStore open(Path folder) {
    FolderStore store = new FolderStore(folder.toAbsolutePath().normalize());
    try {
      Files.createDirectories(store.unfinished);
      store.removeUnfinished();
    } catch (IOException e) {
      throw failed("open the folder", store.root, e);
    }
    return store;
  }

  private void removeUnfinished() throws IOException {
    Instant old = Instant.now().minus(UNFINISHED_FOR);
    try (Stream<Path> left = Files.list(unfinished)) {
      for (Path file : left.toList()) {
        removeIfOlder(file, old);
      }
    }
  }

  private static void removeIfOlder(Path file, Instant time) throws IOException {
    try {
      if (Files.getLastModifiedTime(file).toInstant().isBefore(time)) {
        Files.deleteIfExists(file);
      }
    } catch (NoSuchFileException e) {
      // Another gateway has finished its write meanwhile.
    }
  }

  @Override
  public void put(String key, byte[] value) {
    Path target = path(key);
    Path temporary = unfinished.resolve(UUID.randomUUID().toString());
    try {
      try {
        write(temporary, value);
        move(temporary, target);
      } finally {
        Files.deleteIfExists(temporary);
      }
    } catch (IOException e) {
      throw failed("write", target, e);
    }
  }

  private static void write(Path file, byte[] value) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      ByteBuffer rest = ByteBuffer.wrap(value);
      while (rest.hasRemaining()) {
        channel.write(rest);
      }
      channel.force(true);
    }
  }

  private void move(Path temporary, Path target) throws IOException {
    for (int tries = 1; ; tries++) {
      try {
        DurableFolders.create(DurableFolders.parent(target));
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
        DurableFolders.forceMoved(target);
        return;
      } catch (NoSuchFileException e) {
        if (tries == TRIES) {
          throw e;
        }
      }
    }
  }

  @Override
  public Optional<byte[]> get(String key) {
    Path file = path(key);
    try {
      return Optional.of(Files.readAllBytes(file));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw failed("read", file, e);
    }
  }

  @Override
  public void visit(String prefix, Visitor visitor) {
    ObjectKey.checkedPrefix(prefix);
    Path folder = root.resolve(prefix.substring(0, prefix.lastIndexOf('/') + 1));
    try {
      visit(folder, prefix, visitor);
    } catch (IOException e) {
      throw failed("list", folder, e);
    }
  }

  private void visit(Path folder, String prefix, Visitor visitor) throws IOException {
    List<Path> entries;
    try (Stream<Path> all = Files.list(folder)) {
      entries = all.toList();
    } catch (NoSuchFileException | NotDirectoryException e) {
      return; // removed meanwhile, or never there
    }
    for (Path entry : entries) {
      String key = root.relativize(entry).toString().replace('\\', '/');
      if (entry.equals(unfinished) || !key.startsWith(prefix)) {
        continue;
      }
      if (Files.isDirectory(entry)) {
        visit(entry, prefix, visitor);
      } else {
        visitFile(entry, key, visitor);
      }
    }
  }

  private static void visitFile(Path file, String key, Visitor visitor) throws IOException {
    long bytes;
    try {
      bytes = Files.size(file);
    } catch (NoSuchFileException e) {
      return; // removed meanwhile
    }
    visitor.visit(key, bytes);
  }

  @Override
  public void delete(String key) {
    Path file = path(key);
    try {
      if (Files.deleteIfExists(file)) {
        DurableFolders.removeEmpty(DurableFolders.parent(file), root);
      }
    } catch (IOException e) {
      throw failed("delete", file, e);
    }
  }

  @Override
  public void close() {}

  private Path path(String key) {
    return root.resolve(ObjectKey.checked(key));
  }

  private static StorageException failed(String what, Path path, IOException e) {
    return new StorageException("cannot " + what + " " + path + ": " + e, e);
  }
}
