package io.sluice.bench.torture;

import io.sluice.bench.torture.clients.HttpReport;
import java.io.PrintWriter;
import java.time.Duration;

/**
 * What came of a crash.
 *
 * @param running how many responses had tokens and no end when the processes were killed
 * @param over the time from the kill until all clients had their answers
 */
record CrashReport(int running, Duration over, HttpReport http) {
  /** Returns whether responses were in mid-stream, and none was harmed. */
  boolean isClean() {
    return running > 0 && http.violations().isEmpty();
  }

  void print(PrintWriter out) {
    out.printf(
        "%n%d responses were in mid-stream at the kill; all clients had their answers %d s later%n",
        running, over.toSeconds());
    if (running == 0) {
      out.println("nothing was crashed in mid-stream: the run shows nothing");
    }
    http.print(out);
    out.printf("violations %d%n", http.violations().size());
    http.violations().stream()
        .limit(20)
        .forEach(one -> out.printf("  %s: %s%n", one.requestId(), one.what()));
    out.flush();
  }
}
