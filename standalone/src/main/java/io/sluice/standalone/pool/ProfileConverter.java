package io.sluice.standalone.pool;

import io.sluice.simulator.engine.timing.GpuProfile;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses the name of a GPU. */
final class ProfileConverter implements ITypeConverter<GpuProfile> {
  @Override
  public GpuProfile convert(String name) {
    try {
      return GpuProfile.named(name);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(String.valueOf(e.getMessage()));
    }
  }
}
