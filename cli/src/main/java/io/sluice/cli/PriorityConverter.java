package io.sluice.cli;

import io.sluice.common.protocol.Priority;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses the name of a priority. */
public final class PriorityConverter implements ITypeConverter<Priority> {

  @Override
  public Priority convert(String text) {
    return Priority.parse(text)
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "'" + text + "' is not a priority: urgent, interactive or bulk"));
  }
}
