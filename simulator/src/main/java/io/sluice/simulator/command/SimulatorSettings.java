package io.sluice.simulator.command;

import io.sluice.config.Setting;
import io.sluice.config.Settings;
import io.sluice.config.SettingsSchema;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.fault.Fault;
import io.sluice.simulator.fit.ProfileFile;
import io.sluice.simulator.release.Release;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The settings of one simulator.
 *
 * @param profile the simulated GPU
 * @param models the served model names
 * @param host the address to listen on
 * @param port the port to listen on; 0 takes a free one
 * @param version the vLLM version to report and to simulate
 * @param engine the speed, memory and scheduler
 * @param server the HTTP server
 * @param faults the faults and their controls
 */
@Settings(service = "simulator", environmentPrefix = "SLUICE_SIMULATOR_")
public record SimulatorSettings(
    @Setting(
            defaultValue = "rtx4090",
            unit = "name or file",
            meaning =
                "The GPU to simulate: step times, memory and batch limits for an 8B model. One of"
                    + " `h100`, `h100-fp8`, `a100-80`, `a100-40`, `rtx4090`, `l40s` and `l4`, or a"
                    + " file that `simulator fit` wrote.")
        Profile profile,
    @Setting(
            key = "model",
            defaultValue = SimulatorConfig.DEFAULT_MODEL,
            unit = "names",
            meaning = "The served model names; answers use the first one.")
        List<String> models,
    @Setting(defaultValue = "127.0.0.1", unit = "address", meaning = "The address to listen on.")
        String host,
    @Setting(
            defaultValue = "8000",
            unit = "port",
            min = 0,
            max = 65_535,
            meaning = "The port to listen on; 0 takes a free one.")
        int port,
    @Setting(
            key = "engine-version",
            defaultValue = Release.NEWEST,
            unit = "version",
            meaning = "The vLLM version to report and to simulate.")
        Version version,
    EngineSettings engine,
    ServerSettings server,
    Faults faults) {

  /** The settings, their keys and their defaults. */
  public static final SettingsSchema<SimulatorSettings> SCHEMA =
      SettingsSchema.of(SimulatorSettings.class);

  /**
   * A GPU, and how it was named.
   *
   * @param text the name or file that was given
   */
  public record Profile(String text, GpuProfile gpu) {
    /** Finds a built-in profile, or reads one from a file. */
    public static Profile parse(String text) {
      return new Profile(text, ProfileFile.named(text));
    }
  }

  /** A version of vLLM, such as {@code 0.32.0}. */
  public record Version(String text) {
    public Version {
      Release.of(text);
    }

    /** Checks that a text is a version. */
    public static Version parse(String text) {
      return new Version(text);
    }
  }

  /**
   * Faults to inject.
   *
   * @param initial the faults that are active from the start
   * @param adminPort the port of the fault controls; 0 takes a free one, empty for none
   * @param bootAfterDeath how long a restart takes; empty for no restart
   */
  public record Faults(
      @Setting(
              key = "fault",
              unit = "fault[@P]",
              meaning =
                  "The faults to inject, each with `@P` for a probability per request, such as"
                      + " `stall-after=5@0.01`. Known faults: `"
                      + Fault.NAMES
                      + "`.")
          List<Fault> initial,
      @Setting(
              unit = "port",
              min = 0,
              max = 65_535,
              meaning = "The port of the fault controls and GPU metrics; 0 takes a free one.")
          OptionalInt adminPort,
      @Setting(
              unit = "s",
              min = 0,
              meaning =
                  "Restart after the death of the engine; the restart takes this long. Without it"
                      + " the process ends: with 1 after the death of the engine, with 137 out of"
                      + " memory.")
          Optional<Duration> bootAfterDeath) {

    public Faults {
      initial = List.copyOf(initial);
    }

    private SimulatorConfig applyTo(SimulatorConfig config) {
      SimulatorConfig changed = config.withFaults(initial);
      if (adminPort.isPresent()) {
        changed = changed.withAdminPort(adminPort.getAsInt());
      }
      return bootAfterDeath.map(changed::withBootAfterDeath).orElse(changed);
    }
  }

  public SimulatorSettings {
    models = List.copyOf(models);
  }

  /**
   * Returns the configuration of the simulated engine.
   *
   * @param environment the variables from which vLLM takes some options
   * @throws IllegalArgumentException if settings contradict each other; the message says what to
   *     change
   */
  public SimulatorConfig config(Map<String, String> environment) {
    SimulatorConfig config =
        SimulatorConfig.of(profile.gpu())
            .withModels(models)
            .withHost(host)
            .withPort(port)
            .withVersion(version.text())
            .withServer(server.options(environment));
    return faults.applyTo(engine.applyTo(config));
  }
}
