package io.sluice.fleet.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The password of Redis, from a file.
 *
 * @param text empty if there is none in a file
 */
public record RedisPassword(Optional<String> text) {
  /** No file: the password, if any, is in the URL. */
  public static final RedisPassword NONE = new RedisPassword(Optional.empty());

  /**
   * Reads the password, which is the whole file without white space around it.
   *
   * @param file its path; empty for no file
   * @throws IllegalArgumentException if the file cannot be read or is empty
   */
  public static RedisPassword parse(String file) {
    if (file.isEmpty()) {
      return NONE;
    }
    try {
      String text = Files.readString(Path.of(file)).strip();
      if (text.isEmpty()) {
        throw new IllegalArgumentException("the file is empty");
      }
      return new RedisPassword(Optional.of(text));
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException("there is no such file", e);
    } catch (IOException e) {
      throw new IllegalArgumentException("the file cannot be read: " + e.getMessage(), e);
    }
  }

  /** The password is not shown. */
  @Override
  public String toString() {
    return text.isPresent() ? "RedisPassword[********]" : "RedisPassword[none]";
  }
}
