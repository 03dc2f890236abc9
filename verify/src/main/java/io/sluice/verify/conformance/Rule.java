package io.sluice.verify.conformance;

import io.sluice.verify.http.Engine;
import java.io.IOException;

/**
 * One rule of the engine contract.
 *
 * @param name its section and what it says
 * @param check throws {@link Expect.Broken} if an engine breaks it, {@link Expect.Skipped} if that
 *     cannot be told of this engine
 */
public record Rule(String name, Check check) {

  /** Asks an engine whatever it takes. */
  @FunctionalInterface
  public interface Check {

    /** Returns normally if the rule holds. */
    void of(Engine engine) throws IOException;
  }

  /** What came of a check. */
  public sealed interface Verdict {

    /** The rule holds. */
    record Held() implements Verdict {}

    /** The engine did something else. */
    record Broken(String reason) implements Verdict {}

    /** It cannot be told. */
    record Skipped(String reason) implements Verdict {}
  }

  /** Examines an engine. */
  public Verdict examine(Engine engine) {
    try {
      check.of(engine);
      return new Verdict.Held();
    } catch (Expect.Skipped e) {
      return new Verdict.Skipped(String.valueOf(e.getMessage()));
    } catch (Expect.Broken e) {
      return new Verdict.Broken(String.valueOf(e.getMessage()));
    } catch (IOException | RuntimeException e) {
      return new Verdict.Broken(e.toString());
    }
  }
}
