package io.sluice.cli;

import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** Says what is wrong with a file; the exceptions of the JDK often hold nothing but its name. */
public final class FileErrors {
  private FileErrors() {}

  public static String describe(Exception error) {
    return switch (error) {
      case NoSuchFileException e -> "no such file";
      case AccessDeniedException e -> "permission denied";
      default -> error.getMessage() == null ? error.toString() : error.getMessage();
    };
  }
}
