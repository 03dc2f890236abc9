package io.sluice.simulator.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/** Prints one line per rule at the end: held, broken, or skipped and why. */
final class RuleReport implements TestWatcher, AfterAllCallback {

  private final List<String> lines = new ArrayList<>();

  @Override
  public void testSuccessful(ExtensionContext context) {
    lines.add("held     " + context.getDisplayName());
  }

  @Override
  public void testFailed(ExtensionContext context, Throwable cause) {
    String reason = String.valueOf(cause.getMessage()).strip().lines().findFirst().orElse("");
    lines.add("BROKEN   " + context.getDisplayName() + " (" + reason + ")");
  }

  @Override
  public void testAborted(ExtensionContext context, Throwable cause) {
    lines.add("skipped  " + context.getDisplayName() + " (" + cause.getMessage() + ")");
  }

  @Override
  public void testDisabled(ExtensionContext context, Optional<String> reason) {
    lines.add("skipped  " + context.getDisplayName() + " (" + reason.orElse("") + ")");
  }

  @Override
  public void afterAll(ExtensionContext context) {
    System.out.println("Conformance of " + EngineConformanceTest.subject() + ":");
    lines.stream().sorted().forEach(line -> System.out.println("  " + line));
  }
}
