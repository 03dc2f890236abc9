package io.sluice.simulator.http;

import java.util.List;

/**
 * What the server says about itself.
 *
 * @param names the served model names; the first one is used in answers
 * @param maxModelLen the context in tokens
 * @param version the vLLM version it stands for
 * @param fingerprint the system fingerprint in answers
 */
record ServedModel(List<String> names, int maxModelLen, String version, String fingerprint) {

  String name() {
    return names.getFirst();
  }
}
