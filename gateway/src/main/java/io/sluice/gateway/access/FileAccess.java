package io.sluice.gateway.access;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import org.jspecify.annotations.Nullable;

/** Who may use a file: its owner, its group and its permissions. */
final class FileAccess {
  private FileAccess() {}

  /**
   * Gives a file the owner, the group and the permissions of another one. Has no effect on a file
   * system that has none.
   *
   * @throws IOException if this user may not
   */
  static void copy(Path from, Path to) throws IOException {
    PosixFileAttributeView view = view(to);
    if (view == null) {
      return;
    }
    PosixFileAttributes wanted = Files.readAttributes(from, PosixFileAttributes.class);
    PosixFileAttributes present = view.readAttributes();
    try {
      if (!present.group().equals(wanted.group())) {
        view.setGroup(wanted.group());
      }
      if (!present.owner().equals(wanted.owner())) {
        view.setOwner(wanted.owner());
      }
      // Last of all: a change of the owner may take permissions away.
      view.setPermissions(wanted.permissions());
    } catch (FileSystemException e) {
      throw new IOException(
          "%s belongs to %s:%s, and this user cannot give that to a new version of it: run the command as %s or as root"
              .formatted(
                  from,
                  wanted.owner().getName(),
                  wanted.group().getName(),
                  wanted.owner().getName()),
          e);
    }
  }

  private static @Nullable PosixFileAttributeView view(Path file) {
    return Files.getFileAttributeView(
        file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
  }
}
