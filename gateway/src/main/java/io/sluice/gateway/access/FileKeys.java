package io.sluice.gateway.access;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Keys in a file, one as JSON in each line. A file that does not exist has none. */
public final class FileKeys implements KeyStore {
  private final Path file;

  public FileKeys(Path file) {
    this.file = file;
  }

  @Override
  public List<ApiKey> all() throws IOException {
    if (!Files.exists(file)) {
      return List.of();
    }
    List<ApiKey> keys = new ArrayList<>();
    int number = 0;
    for (String line : Files.readAllLines(file)) {
      number++;
      if (!line.isBlank()) {
        keys.add(parse(line, number));
      }
    }
    return keys;
  }

  private ApiKey parse(String line, int number) throws IOException {
    try {
      return ApiKey.parse(line);
    } catch (IllegalArgumentException e) {
      // What is wrong is not quoted: it may be a secret.
      throw new IOException("line %d of %s is not a key".formatted(number, file), e);
    }
  }

  @Override
  public synchronized void add(ApiKey key) throws IOException {
    write(Stream.concat(all().stream(), Stream.of(key)));
  }

  @Override
  public synchronized boolean remove(String id) throws IOException {
    List<ApiKey> before = all();
    List<ApiKey> after = before.stream().filter(key -> !key.id().equals(id)).toList();
    if (after.size() == before.size()) {
      return false;
    }
    write(after.stream());
    return true;
  }

  /** A reader sees the old file or the new one. */
  private void write(Stream<ApiKey> keys) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    try {
      Files.createFile(
          next, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    } catch (FileAlreadyExistsException e) {
      throw new IOException(next + " exists: another command is writing, or one was killed", e);
    } catch (UnsupportedOperationException e) {
      Files.createFile(next);
    }
    Files.writeString(
        next, keys.map(key -> key.toJson() + System.lineSeparator()).collect(Collectors.joining()));
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
