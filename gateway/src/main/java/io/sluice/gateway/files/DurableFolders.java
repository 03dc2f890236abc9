package io.sluice.gateway.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Folders that survive a crash of the machine. */
final class DurableFolders {
  private DurableFolders() {}

  /** Creates a folder and those around it. */
  static void create(Path folder) throws IOException {
    if (Files.isDirectory(folder)) {
      return;
    }
    create(parent(folder));
    try {
      Files.createDirectory(folder);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(folder)) {
        throw e;
      }
    }
    force(parent(folder));
  }

  /** Makes durable what was created in a folder or moved into it. */
  static void force(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Makes a file durable that was moved into its folder; does nothing if it was deleted since. */
  static void forceMoved(Path file) throws IOException {
    try {
      force(parent(file));
    } catch (NoSuchFileException e) {
      if (Files.exists(file)) {
        throw e;
      }
    }
  }

  /** Removes a folder and those around it, up to the first that is not empty. */
  static void removeEmpty(Path folder, Path root) throws IOException {
    for (Path empty = folder; !empty.equals(root); empty = parent(empty)) {
      try {
        Files.deleteIfExists(empty);
      } catch (DirectoryNotEmptyException e) {
        return;
      }
    }
  }

  /** Returns the folder of a file. */
  static Path parent(Path path) throws IOException {
    Path parent = path.getParent();
    if (parent == null) {
      throw new IOException(path + " is in no folder");
    }
    return parent;
  }
}
