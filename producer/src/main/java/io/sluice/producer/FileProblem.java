package io.sluice.producer;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Describes file errors in words; the JDK's exceptions often contain only the file's name. */
public final class FileProblem {
  private FileProblem() {}

  /** Returns the problem, such as {@code permission denied}. */
  public static String of(IOException error) {
    return switch (error) {
      case NoSuchFileException missing -> "no such file or folder";
      case AccessDeniedException denied -> "permission denied";
      case FileSystemException e when e.getReason() != null -> e.getReason();
      default -> error.getMessage() == null ? error.toString() : error.getMessage();
    };
  }
}
