package io.sluice.common.dependency;

import java.util.List;
import javax.net.ssl.SSLException;

/** Says in one line why something failed. */
public final class Reasons {
  private static final int DEEPEST = 16;

  private Reasons() {}

  /**
   * Says why a service cannot start: the message beneath a framework's wrappers, and the innermost
   * cause if the message does not contain it.
   *
   * @param wrapper the type of the wrappers
   */
  public static String beneath(Class<? extends Throwable> wrapper, Throwable failure) {
    Throwable beneath = failure;
    while (wrapper.isInstance(beneath) && beneath.getCause() != null) {
      beneath = beneath.getCause();
    }
    String message = firstLine(beneath);
    String innermost = of(beneath);
    return message.contains(innermost) ? message : message + ": " + innermost;
  }

  /**
   * Returns the first line of the message of the innermost cause; its class if it has no message.
   * Causes of a failed TLS handshake, such as "Signature does not match.", do not say that they
   * are.
   */
  public static String of(Throwable failure) {
    Throwable root = failure;
    boolean isTls = root instanceof SSLException;
    for (int depth = 0; depth < DEEPEST && root.getCause() != null; depth++) {
      root = root.getCause();
      isTls = isTls || root instanceof SSLException;
    }
    return isTls ? "TLS handshake failed: " + firstLine(root) : firstLine(root);
  }

  private static String firstLine(Throwable failure) {
    String message = failure.getMessage();
    List<String> lines = message == null ? List.of() : message.lines().toList();
    return lines.isEmpty() ? failure.getClass().getSimpleName() : lines.getFirst();
  }
}
