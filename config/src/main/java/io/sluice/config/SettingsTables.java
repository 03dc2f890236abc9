package io.sluice.config;

import java.io.PrintWriter;
import java.lang.reflect.Type;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Settings as text for a person: in help, as a table of values, and in Markdown. */
public final class SettingsTables {
  private SettingsTables() {}

  /** Prints keys, values and where each value was given, in columns. */
  static void print(List<SettingsSchema.Effective> settings, PrintWriter out) {
    TextTable table = new TextTable().left("setting", "value", "from");
    for (SettingsSchema.Effective setting : settings) {
      table.row(setting.setting().key(), shown(setting), setting.origin());
    }
    out.print(table);
    out.flush();
  }

  private static String shown(SettingsSchema.Effective setting) {
    String unit = setting.setting().declaration().unit();
    if (setting.value().isEmpty()) {
      return "(" + setting.setting().shownDefault() + ")";
    }
    return setting.setting().isMeasured() ? setting.value() + " " + unit : setting.value();
  }

  /** Returns a table of all settings in Markdown: what {@code docs/configuration.md} shows. */
  public static String markdown(SettingsSchema<?> schema) {
    StringBuilder table = new StringBuilder();
    table.append("| flag | environment | default | unit | meaning |\n");
    table.append("| --- | --- | --- | --- | --- |\n");
    for (SettingSpec setting : schema.settings()) {
      table.append(
          "| `%s` | `%s` | %s | %s | %s |%n"
              .formatted(
                  setting.flag(),
                  setting.environment(),
                  defaultCell(setting),
                  setting.declaration().unit().isEmpty() ? "-" : setting.declaration().unit(),
                  setting.declaration().meaning())
              .replace(System.lineSeparator(), "\n"));
    }
    return table.toString();
  }

  private static String defaultCell(SettingSpec setting) {
    String shown = setting.shownDefault();
    return shown.equals(setting.declaration().defaultValue()) ? "`" + shown + "`" : shown;
  }

  /** Returns the description of an option, as a format string. */
  static String help(SettingSpec setting) {
    String unit = setting.declaration().unit();
    return "%s Default: %s%s. (%s)"
        .formatted(
            setting.declaration().meaning().replace("`", ""),
            setting.shownDefault().replace("`", ""),
            setting.shownDefault().equals(setting.declaration().defaultValue())
                    && setting.isMeasured()
                ? " " + unit
                : "",
            setting.environment())
        .replace("%", "%%");
  }

  /** Returns the label of an option's value. */
  static String label(SettingSpec setting) {
    String unit = setting.declaration().unit();
    if (unit.equals("%")) {
      return "PERCENT";
    }
    if (!unit.isEmpty()) {
      return unit.toUpperCase(Locale.ROOT);
    }
    Type type = setting.valueType();
    if (type == URI.class) {
      return "URL";
    }
    if (type == Path.class) {
      return "PATH";
    }
    return type instanceof Class<?> primitive && primitive.isPrimitive() ? "NUMBER" : "TEXT";
  }
}
