package io.sluice.worker.gpu;

import java.util.List;

/** Reads the GPUs of a machine. For one thread; another may close it. */
@FunctionalInterface
interface GpuReader extends AutoCloseable {

  /**
   * Reads all GPUs, within some seconds.
   *
   * @throws GpuReadingException if they cannot be read
   */
  List<Gpu> read() throws GpuReadingException, InterruptedException;

  /** Gives up what the reader holds. */
  @Override
  default void close() {}
}
