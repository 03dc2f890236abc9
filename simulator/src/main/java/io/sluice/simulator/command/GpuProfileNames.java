package io.sluice.simulator.command;

import io.sluice.simulator.engine.GpuProfile;
import java.util.Iterator;

/** The completion candidates for {@code --profile}, which are also the list in the help text. */
final class GpuProfileNames implements Iterable<String> {
  @Override
  public Iterator<String> iterator() {
    return GpuProfile.names().iterator();
  }
}
