package io.sluice.producer.batch;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Says what is wrong with a file; the exceptions of the JDK often hold nothing but its name. */
final class FileProblem {
  private FileProblem() {}

  static String of(IOException error) {
    return switch (error) {
      case NoSuchFileException missing -> "no such file or folder";
      case AccessDeniedException denied -> "permission denied";
      case FileSystemException e when e.getReason() != null -> e.getReason();
      default -> error.getMessage() == null ? error.toString() : error.getMessage();
    };
  }
}
