package io.sluice.simulator.openai.request;

import io.sluice.simulator.release.Release;
import java.util.List;
import java.util.Optional;

/**
 * What the server says about itself.
 *
 * @param names the served model names; the first one is used in answers
 * @param maxModelLen the context in tokens
 * @param version the vLLM version it stands for
 * @param fingerprint the system fingerprint in answers
 * @param loras the adapters that can be asked for by name
 */
public record ServedModel(
    List<String> names, int maxModelLen, String version, String fingerprint, LoraAdapters loras) {

  /**
   * What a request's {@code model} stands for.
   *
   * @param name the name in the answer
   * @param lora the adapter; empty for the base model
   */
  record Target(String name, String lora) {}

  /** Returns the name in answers. */
  public String name() {
    return names.getFirst();
  }

  /** Returns the release that the version names. */
  public Release release() {
    return Release.of(version);
  }

  /** Finds the model that a request asks for; without a name that is the base model. */
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
