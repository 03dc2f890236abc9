package io.sluice.verify;

import io.sluice.simulator.ServerOptions;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.release.Release;
import io.sluice.verify.http.Engine;
import io.sluice.verify.http.EngineAnswer;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A simulator with the same configuration as an engine, as far as it can be observed. */
final class MatchingSimulator {

  private static final String TOOLS =
      "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}],\"max_tokens\":1";

  private MatchingSimulator() {}

  static SimulatedEngine of(Engine engine) throws IOException {
    Map<String, String> loras = new LinkedHashMap<>();
    engine.loras().forEach(name -> loras.put(name, "/adapters/" + name));
    boolean autoTools = engine.chat(TOOLS).status() == 200;
    EngineAnswer sample = engine.chat("\"max_tokens\":1");
    boolean details = sample.json().at("/usage/prompt_tokens_details").isObject();
    return SimulatedEngine.start(
        SimulatorConfig.of(GpuProfile.H100)
            .withModels(List.of(engine.model()))
            .withMaxModelLen(engine.maxModelLen())
            .withVersion(version(engine))
            .withServer(
                ServerOptions.with(
                    options -> {
                      options.loras = loras;
                      options.autoToolChoice = autoTools;
                      options.promptTokensDetails = details;
                    })));
  }

  /** Returns the version of a vLLM; the newest one for other engines. */
  private static String version(Engine engine) {
    if (!engine.client().get("/metrics").body().contains("vllm:")) {
      return Release.NEWEST;
    }
    try {
      Release.of(engine.version());
      return engine.version();
    } catch (IllegalArgumentException e) {
      return Release.NEWEST;
    }
  }
}
