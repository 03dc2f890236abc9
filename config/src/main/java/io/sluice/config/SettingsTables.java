package io.sluice.config;

import java.io.PrintWriter;
import java.lang.reflect.Type;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Settings as text for a person: in help, and as a table of values. */
final class SettingsTables {
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
