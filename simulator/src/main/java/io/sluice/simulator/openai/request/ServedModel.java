package io.sluice.simulator.openai.request;

import io.sluice.simulator.release.Release;
import java.util.List;
import java.util.Optional;

/**
 * The model that the server serves.
 *
 * @param names the served model names; the first one is used in answers
 * @param maxModelLen the length of the context in tokens
 * @param version the vLLM version that the server simulates
 * @param fingerprint the system fingerprint in answers
 * @param loras the adapters that requests can name
 */
public record ServedModel(
    List<String> names, int maxModelLen, String version, String fingerprint, LoraAdapters loras) {

  /**
   * The model that a request names.
   *
   * @param name the model name in the answer
   * @param lora the adapter; empty for the base model
   */
  record Target(String name, String lora) {}

  /** Returns the name that is used in answers. */
  public String name() {
    return names.getFirst();
  }

  /** Returns the release of the version. */
  public Release release() {
    return Release.of(version);
  }

  /** Returns the model that a request names; the base model if it names none. */
  Target target(Optional<String> asked) {
    if (asked.isEmpty() || asked.get().isEmpty() || names.contains(asked.get())) {
      return new Target(name(), "");
    }
    String lora = asked.get();
    if (loras.path(lora).isEmpty()) {
      Optional<String> served =
          release().before(32) ? Optional.empty() : Optional.of(String.join(", ", names));
      throw ApiError.unknownModel(lora, served);
    }
    return new Target(lora, lora);
  }
}
