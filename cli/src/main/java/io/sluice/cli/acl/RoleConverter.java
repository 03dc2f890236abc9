package io.sluice.cli.acl;

import io.sluice.common.acl.PoolRole;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a role as it is written on the command line, such as {@code dead-letter-reader}. */
final class RoleConverter implements ITypeConverter<PoolRole> {
  @Override
  public PoolRole convert(String text) {
    return Arrays.stream(PoolRole.values())
        .filter(role -> shown(role).equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "unknown role '"
                        + text
                        + "'; use one of: "
                        + Arrays.stream(PoolRole.values())
                            .map(RoleConverter::shown)
                            .collect(Collectors.joining(", "))));
  }

  static String shown(PoolRole role) {
    return role.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
