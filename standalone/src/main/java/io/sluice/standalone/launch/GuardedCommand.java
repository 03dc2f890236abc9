package io.sluice.standalone.launch;

import java.util.ArrayList;
import java.util.List;

/**
 * Commands of child processes that end with this process, even if it is killed: a guard kills them
 * when its standard input is closed. So their standard input is the guard's, and closing it kills
 * them. They need a POSIX shell.
 */
public final class GuardedCommand {
  private static final String SCRIPT =
      """
      exec 3<&0
      (cat <&3; kill -s KILL -- %s) >/dev/null 2>&1 &
      exec </dev/null 3<&-
      %sexec "$0" "$@"
      """;

  private static final String SELF = "$$";

  private GuardedCommand() {}

  /** Returns a command that replaces the shell, so it has the process id of the child. */
  public static List<String> of(List<String> command) {
    return guarded(SCRIPT.formatted(SELF, ""), command);
  }

  /**
   * Such a command with a session of its own, if {@code setsid} is available. So the terminal's
   * Ctrl-C does not reach it.
   */
  public static List<String> inSession(List<String> command) {
    String session = "command -v setsid >/dev/null 2>&1 && exec setsid \"$0\" \"$@\"\n";
    return guarded(SCRIPT.formatted(SELF, session), command);
  }

  /**
   * Returns a command that starts other processes, which are killed too. It needs {@code setsid},
   * and its process id is also that of its group.
   */
  public static List<String> ofGroup(List<String> command) {
    List<String> group = new ArrayList<>(List.of("setsid"));
    group.addAll(guarded(SCRIPT.formatted("-" + SELF, ""), command));
    return group;
  }

  private static List<String> guarded(String script, List<String> command) {
    List<String> guarded = new ArrayList<>(List.of("sh", "-c", script));
    guarded.addAll(command);
    return guarded;
  }
}
