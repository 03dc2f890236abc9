package io.sluice.config;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The settings that a record declares, and the way from texts to such a record. Immutable and
 * thread-safe.
 *
 * @param <R> the annotated record
 */
public final class SettingsSchema<R extends Record> {

  /**
   * A setting as it takes effect.
   *
   * @param value as text; empty if there is none
   * @param origin where the value was given: a flag, a variable, a file, or {@code default}
   */
  public record Effective(SettingSpec setting, String value, String origin) {}

  private final Class<R> type;
  private final Settings declaration;
  private final List<SettingSpec> settings;

  private SettingsSchema(Class<R> type) {
    this.type = type;
    this.declaration =
        Objects.requireNonNull(type.getAnnotation(Settings.class), type + " lacks @Settings");
    this.settings = List.copyOf(declared(type));
  }

  /** Returns the settings that a record declares. */
  public static <R extends Record> SettingsSchema<R> of(Class<R> type) {
    return new SettingsSchema<>(type);
  }

  /** Returns the service's name. */
  public String service() {
    return declaration.service();
  }

  /** Returns all settings, in the order of the declaration. */
  public List<SettingSpec> settings() {
    return settings;
  }

  /**
   * Reads and checks all settings.
   *
   * @throws InvalidSettingsException with every problem there is
   */
  public R read(SettingSources sources) {
    List<String> problems = new ArrayList<>(unknown(sources));
    Optional<R> read = group(type, sources, problems::add);
    if (!problems.isEmpty()) {
      throw new InvalidSettingsException(problems);
    }
    return read.orElseThrow();
  }

  /**
   * Returns every setting with the value that takes effect; secrets and the passwords of URLs are
   * masked.
   */
  public List<Effective> effective(SettingSources sources) {
    return settings.stream().map(setting -> effective(setting, sources)).toList();
  }

  private static Effective effective(SettingSpec setting, SettingSources sources) {
    Optional<SettingSources.Given> given = sources.find(setting);
    String value =
        given.map(SettingSources.Given::text).orElse(setting.declaration().defaultValue());
    return new Effective(
        setting,
        ShownText.of(setting, value),
        given.map(SettingSources.Given::origin).orElse("default"));
  }

  private List<String> unknown(SettingSources sources) {
    Set<String> known = new HashSet<>();
    for (SettingSpec setting : settings) {
      known.add(setting.key());
      known.addAll(List.of(setting.declaration().aliases()));
    }
    Set<String> names = new HashSet<>(sources.flags().keySet());
    names.addAll(sources.file().keySet());
    return names.stream()
        .filter(name -> !known.contains(name))
        .sorted()
        .map(name -> "a %s has no setting '%s'".formatted(service(), name))
        .toList();
  }

  private List<SettingSpec> declared(Class<?> record) {
    List<SettingSpec> found = new ArrayList<>();
    for (RecordComponent component : record.getRecordComponents()) {
      Setting setting = component.getAnnotation(Setting.class);
      if (setting == null) {
        found.addAll(declared(component.getType()));
      } else {
        found.add(spec(component, setting));
      }
    }
    return found;
  }

  private SettingSpec spec(RecordComponent component, Setting setting) {
    String key =
        setting.key().isEmpty()
            ? component.getName().replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT)
            : setting.key();
    String environment =
        setting.environment().isEmpty()
            ? declaration.environmentPrefix() + key.replace('-', '_').toUpperCase(Locale.ROOT)
            : setting.environment();
    return new SettingSpec(key, environment, component.getGenericType(), setting);
  }

  /** Returns the record of a group; empty if a problem was reported. */
  private <T> Optional<T> group(
      Class<T> record, SettingSources sources, Consumer<String> problems) {
    List<Object> values = new ArrayList<>();
    RecordComponent[] components = record.getRecordComponents();
    for (RecordComponent component : components) {
      Setting setting = component.getAnnotation(Setting.class);
      Optional<?> value =
          setting == null
              ? group(component.getType(), sources, problems)
              : new SettingReader(spec(component, setting)).read(sources, problems);
      value.ifPresent(values::add);
    }
    return values.size() < components.length
        ? Optional.empty()
        : construct(record, values.toArray(), problems);
  }

  private static <T> Optional<T> construct(
      Class<T> record, @Nullable Object[] values, Consumer<String> problems) {
    try {
      return Optional.of(constructor(record).newInstance(values));
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IllegalArgumentException cause) {
        problems.accept(String.valueOf(cause.getMessage()));
        return Optional.empty();
      }
      throw new IllegalStateException(record + " cannot be made of its settings", e);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(record + " cannot be made of its settings", e);
    }
  }

  private static <T> Constructor<T> constructor(Class<T> record) throws NoSuchMethodException {
    Class<?>[] types =
        Arrays.stream(record.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    return record.getDeclaredConstructor(types);
  }
}
