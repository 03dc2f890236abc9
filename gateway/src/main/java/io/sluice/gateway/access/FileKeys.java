package io.sluice.gateway.access;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Keys in a file, one as JSON in each line. */
public final class FileKeys implements KeyStore {
  private final Path file;

  public FileKeys(Path file) {
    this.file = file;
  }

  @Override
  public List<ApiKey> all() throws IOException {
    List<ApiKey> keys = new ArrayList<>();
    int number = 0;
    for (String line : lines()) {
      number++;
      if (!line.isBlank()) {
        keys.add(parse(line, number));
      }
    }
    return keys;
  }

  private List<String> lines() throws IOException {
    try {
      return Files.readAllLines(file);
    } catch (NoSuchFileException e) {
      // One that has gone for a moment, such as a lost volume, must not lock all callers out.
      throw new IOException(
          file + " does not exist; ./sluice keys create --keys file:" + file + " makes it", e);
    } catch (AccessDeniedException e) {
      throw new IOException(file + " may not be read by this user", e);
    } catch (CharacterCodingException e) {
      throw new IOException(file + " is not a text file", e);
    } catch (IOException e) {
      throw new IOException(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  private ApiKey parse(String line, int number) throws IOException {
    try {
      return ApiKey.parse(line);
    } catch (IllegalArgumentException e) {
      // What is wrong is not quoted, not even as the cause: it may be a secret.
      throw new IOException("line %d of %s is not a key".formatted(number, file));
    }
  }

  @Override
  public synchronized void add(ApiKey key) throws IOException {
    change(keys -> keys.add(key));
  }

  @Override
  public synchronized boolean remove(String id) throws IOException {
    return change(keys -> keys.removeIf(key -> key.id().equals(id)));
  }

  /**
   * Changes the keys while no other command does; a reader sees the old file or the new one. The
   * new one has the owner and the permissions of the old one.
   *
   * @param change returns whether it has changed the list
   */
  private boolean change(Predicate<List<ApiKey>> change) throws IOException {
    boolean isNew = Files.notExists(file);
    // A link stays a link.
    Path target = isNew ? file : file.toRealPath();
    Path next = target.resolveSibling(target.getFileName() + ".next");
    create(next);
    try {
      List<ApiKey> keys = isNew ? new ArrayList<>() : new ArrayList<>(all());
      if (!change.test(keys)) {
        return false;
      }
      Files.writeString(
          next,
          keys.stream()
              .map(key -> key.toJson() + System.lineSeparator())
              .collect(Collectors.joining()));
      if (!isNew) {
        FileAccess.copy(target, next);
      }
      Files.move(next, target, StandardCopyOption.ATOMIC_MOVE);
      return true;
    } finally {
      Files.deleteIfExists(next);
    }
  }

  private static void create(Path next) throws IOException {
    try {
      Files.createFile(
          next, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    } catch (FileAlreadyExistsException e) {
      throw new IOException(
          next + " exists: another command is writing; delete it if that command was killed", e);
    } catch (UnsupportedOperationException e) {
      Files.createFile(next);
    }
  }
}
