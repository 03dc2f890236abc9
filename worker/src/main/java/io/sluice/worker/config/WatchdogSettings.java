package io.sluice.worker.config;

import io.sluice.config.Setting;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * When a worker's engine is restarted, and how.
 *
 * @param mode what happens when the engine has become worse
 * @param command run by a shell to restart the engine
 * @param url posted to in order to restart the engine
 * @param evictsPod whether the engine is restarted with the worker's Kubernetes pod
 * @param every the time between planned restarts; zero for none
 * @param share the percentage of the workers of a tier that may restart at once
 * @param actionTimeout how long the command or the post may take
 * @param bootTimeout how long the engine may take until it answers
 * @param window of the statistics
 */
public record WatchdogSettings(
    @Setting(
            key = "watchdog",
            defaultValue = "report",
            meaning =
                "What happens when the engine has become worse since its start: `off`, `report` (a"
                    + " log line and a metric) or `restart`. See [watchdog](watchdog.md).")
        WatchdogMode mode,
    @Setting(
            key = "restart-command",
            otherwise = "none",
            unit = "shell command",
            meaning = "Restarts the engine, such as `systemctl restart vllm`.")
        Optional<String> command,
    @Setting(
            key = "restart-url",
            otherwise = "none",
            unit = "URL",
            meaning =
                "Restarts the engine when it gets a POST. Alternative to `--restart-command`.")
        Optional<URI> url,
    @Setting(
            key = "restart-pod",
            meaning =
                "Restarts the engine with the worker: evicts their Kubernetes pod, whose name must"
                    + " be the worker's id. Alternative to `--restart-command`.")
        boolean evictsPod,
    @Setting(
            key = "restart-every-hours",
            defaultValue = "0",
            unit = "h",
            min = 0,
            max = 8_760,
            meaning =
                "The time between planned restarts, up to a quarter longer by chance; 0 for"
                    + " none. `watchdog` must be `restart`.")
        Duration every,
    @Setting(
            key = "restart-share-percent",
            defaultValue = "25",
            unit = "%",
            min = 1,
            max = 100,
            meaning =
                "The share of a tier's workers that may restart at once; one worker always may.")
        int share,
    @Setting(
            key = "restart-timeout-millis",
            defaultValue = "60000",
            unit = "ms",
            min = 100,
            max = 86_400_000,
            meaning = "The maximum time that the command or the POST may take.")
        Duration actionTimeout,
    @Setting(
            key = "boot-timeout-millis",
            defaultValue = "1800000",
            unit = "ms",
            min = 100,
            max = 86_400_000,
            meaning =
                "The maximum time from the end of the command or the POST until the engine answers.")
        Duration bootTimeout,
    @Setting(
            key = "watchdog-window-millis",
            defaultValue = "30000",
            unit = "ms",
            min = 100,
            max = 86_400_000,
            meaning =
                "The length of a window of the watchdog's statistics. It judges 30 windows, after"
                    + " it has learned from 10 at a similar load.")
        Duration window) {

  public WatchdogSettings {
    long actions =
        Stream.of(command.isPresent(), url.isPresent(), evictsPod).filter(given -> given).count();
    if (mode == WatchdogMode.RESTART && actions == 0) {
      throw new IllegalArgumentException(
          "--watchdog=restart needs --restart-command, --restart-url or --restart-pod");
    }
    if (actions > 1) {
      throw new IllegalArgumentException(
          "--restart-command, --restart-url and --restart-pod exclude each other: set one of them");
    }
    if (mode != WatchdogMode.RESTART && !every.isZero()) {
      throw new IllegalArgumentException("--restart-every-hours needs --watchdog=restart");
    }
  }
}
