package io.sluice.common.dependency;

import java.util.List;

/** Says in one line why something failed. */
public final class Reasons {
  private static final int DEEPEST = 16;

  private Reasons() {}

  /** The first line of the message of the innermost cause; its class if it has no message. */
  public static String of(Throwable failure) {
    Throwable root = failure;
    for (int depth = 0; depth < DEEPEST && root.getCause() != null; depth++) {
      root = root.getCause();
    }
    String message = root.getMessage();
    List<String> lines = message == null ? List.of() : message.lines().toList();
    return lines.isEmpty() ? root.getClass().getSimpleName() : lines.getFirst();
  }
}
