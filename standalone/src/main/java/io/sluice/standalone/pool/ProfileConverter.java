package io.sluice.standalone.pool;

import io.sluice.simulator.engine.GpuProfile;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a GPU's name as it is written on the command line. */
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
