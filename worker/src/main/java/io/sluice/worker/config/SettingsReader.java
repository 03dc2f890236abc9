package io.sluice.worker.config;

import static io.sluice.worker.config.WorkerSetting.KAFKA_PREFIX;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads settings from text; every complaint names the key, the value and what was expected. */
final class SettingsReader {
  private static final Set<String> KEYS =
      Arrays.stream(WorkerSetting.values())
          .map(WorkerSetting::key)
          .collect(Collectors.toUnmodifiableSet());

  /** OpenAI's own clients want the API's version in the base URL; here it is in the endpoints. */
  private static final Pattern API_SUFFIX = Pattern.compile("(/v1)?/?$");

  private static final List<String> REFUSED_WITH_DRAFT = List.of("best_of", "beam_search");
  private static final String NOTHING = "none";

  private final Map<String, String> settings;

  SettingsReader(Map<String, String> settings) {
    this.settings = settings;
  }

  WorkerConfig read() {
    rejectUnknownKeys();
    return new WorkerConfig(
        required(WorkerSetting.ID),
        required(WorkerSetting.HOST),
        (int) number(WorkerSetting.PORT, 0, 65_535),
        text(WorkerSetting.TIER),
        list(WorkerSetting.LANES),
        engine(),
        new WorkerConfig.Limits(
            (int) number(WorkerSetting.MAX_CONCURRENT, 1, 100_000),
            millis(WorkerSetting.GATHER_MILLIS, 0),
            millis(WorkerSetting.NON_STREAM_GATHER_MILLIS, 0),
            millis(WorkerSetting.DRAIN_GRACE_MILLIS, 0)),
        new WorkerConfig.Pool(
            required(WorkerSetting.POOL),
            required(WorkerSetting.KAFKA),
            required(WorkerSetting.REDIS),
            (int) number(WorkerSetting.PARTITIONS, 1, 10_000),
            text(WorkerSetting.REPLICATION)
                .map(any -> (short) number(WorkerSetting.REPLICATION, 1, 32)),
            millis(WorkerSetting.HEARTBEAT_MILLIS, 10),
            kafkaProperties()));
  }

  private WorkerConfig.Engine engine() {
    return new WorkerConfig.Engine(
        url(),
        text(WorkerSetting.MODEL),
        text(WorkerSetting.ENGINE_API_KEY),
        text(WorkerSetting.MAX_MODEL_LEN).isPresent()
            ? OptionalInt.of((int) number(WorkerSetting.MAX_MODEL_LEN, 1, Integer.MAX_VALUE))
            : OptionalInt.empty(),
        text(WorkerSetting.TOKEN_BUDGET).isPresent()
            ? OptionalLong.of(number(WorkerSetting.TOKEN_BUDGET, 1, Long.MAX_VALUE))
            : OptionalLong.empty(),
        millis(WorkerSetting.CONNECT_TIMEOUT_MILLIS, 1),
        millis(WorkerSetting.HEAD_TIMEOUT_MILLIS, 1),
        millis(WorkerSetting.FIRST_TOKEN_TIMEOUT_MILLIS, 1),
        millis(WorkerSetting.STALL_TIMEOUT_MILLIS, 1),
        millis(WorkerSetting.SCRAPE_MILLIS, 10),
        list(WorkerSetting.DRAFT_SUITS),
        refuses());
  }

  private void rejectUnknownKeys() {
    for (String key : settings.keySet()) {
      if (!KEYS.contains(key) && !key.startsWith(KAFKA_PREFIX)) {
        throw new IllegalArgumentException("unknown worker setting '" + key + "'");
      }
    }
  }

  private Optional<String> text(WorkerSetting setting) {
    String value = settings.getOrDefault(setting.key(), setting.defaultValue()).strip();
    return value.isEmpty() ? Optional.empty() : Optional.of(value);
  }

  private String required(WorkerSetting setting) {
    return text(setting)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "worker setting '%s' is missing: give --%s or %s"
                        .formatted(setting.key(), setting.key(), setting.environment())));
  }

  private long number(WorkerSetting setting, long least, long most) {
    String value = required(setting);
    try {
      long number = Long.parseLong(value);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw wrong(setting, value, "a number from " + least + " to " + most, e);
    }
    throw wrong(setting, value, "a number from " + least + " to " + most, null);
  }

  private Duration millis(WorkerSetting setting, long least) {
    return Duration.ofMillis(number(setting, least, Duration.ofDays(1).toMillis()));
  }

  private URI url() {
    String value = required(WorkerSetting.ENGINE_URL);
    String expected = "a URL such as http://127.0.0.1:8000";
    try {
      URI url = new URI(API_SUFFIX.matcher(value).replaceFirst(""));
      boolean isHttp = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
      if (isHttp && url.getHost() != null) {
        return url;
      }
    } catch (URISyntaxException e) {
      throw wrong(WorkerSetting.ENGINE_URL, value, expected, e);
    }
    throw wrong(WorkerSetting.ENGINE_URL, value, expected, null);
  }

  /** Engines with a draft model sample token by token, and keep no alternatives to choose from. */
  private List<String> refuses() {
    if (text(WorkerSetting.REFUSES).isEmpty()) {
      return text(WorkerSetting.DRAFT_SUITS).isPresent() ? REFUSED_WITH_DRAFT : List.of();
    }
    List<String> refused = list(WorkerSetting.REFUSES);
    return refused.equals(List.of(NOTHING)) ? List.of() : refused;
  }

  private List<String> list(WorkerSetting setting) {
    return text(setting)
        .map(names -> Arrays.stream(names.split(",")).map(String::strip).toList())
        .orElse(List.of());
  }

  private Map<String, String> kafkaProperties() {
    Map<String, String> properties = new HashMap<>();
    settings.forEach(
        (key, value) -> {
          if (key.startsWith(KAFKA_PREFIX)) {
            properties.put(key.substring(KAFKA_PREFIX.length()), value);
          }
        });
    return properties;
  }

  private static IllegalArgumentException wrong(
      WorkerSetting setting, String value, String expected, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "worker setting '%s' must be %s, not '%s'".formatted(setting.key(), expected, value),
        cause);
  }
}
