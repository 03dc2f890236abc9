package io.sluice.simulator.metrics;

/**
 * The {@code python_} and {@code process_} families at the start of the page. They have no creation
 * times.
 */
final class ProcessBlock {

  private ProcessBlock() {}

  /**
   * Writes the families.
   *
   * @param startSeconds the start of the engine in Unix time; to readers of the page, several
   *     engines in one JVM, and an engine that restarts, are separate processes
   */
  static void write(ProcessReading reading, double startSeconds, StringBuilder page) {
    generations(page, "python_gc_objects_collected_total", "Objects collected during gc", 0);
    generations(
        page, "python_gc_objects_uncollectable_total", "Uncollectable objects found during GC", 0);
    generations(
        page,
        "python_gc_collections_total",
        "Number of times this generation was collected",
        reading.collections());
    head(page, "python_info", "gauge", "Python platform information");
    page.append(
        "python_info{implementation=\"CPython\",major=\"3\",minor=\"12\",patchlevel=\"11\",version=\"3.12.11\"} 1.0\n");
    gauge(
        page,
        "process_virtual_memory_bytes",
        "Virtual memory size in bytes.",
        (double) reading.virtualBytes());
    gauge(
        page,
        "process_resident_memory_bytes",
        "Resident memory size in bytes.",
        (double) reading.residentBytes());
    gauge(
        page,
        "process_start_time_seconds",
        "Start time of the process since unix epoch in seconds.",
        startSeconds);
    head(
        page,
        "process_cpu_seconds_total",
        "counter",
        "Total user and system CPU time spent in seconds.");
    value(page, "process_cpu_seconds_total", reading.cpuSeconds());
    gauge(
        page, "process_open_fds", "Number of open file descriptors.", (double) reading.openFiles());
    gauge(
        page,
        "process_max_fds",
        "Maximum number of open file descriptors.",
        (double) reading.maxFiles());
  }

  /**
   * Writes the figures of the garbage collector. Java has no three generations, so that everything
   * counts as the youngest.
   */
  private static void generations(StringBuilder page, String name, String help, long youngest) {
    head(page, name, "counter", help);
    value(page, name + "{generation=\"0\"}", (double) youngest);
    value(page, name + "{generation=\"1\"}", 0);
    value(page, name + "{generation=\"2\"}", 0);
  }

  private static void gauge(StringBuilder page, String name, String help, double value) {
    head(page, name, "gauge", help);
    value(page, name, value);
  }

  private static void head(StringBuilder page, String name, String type, String help) {
    page.append("# HELP ").append(name).append(' ').append(help).append('\n');
    page.append("# TYPE ").append(name).append(' ').append(type).append('\n');
  }

  private static void value(StringBuilder page, String series, double value) {
    page.append(series).append(' ').append(PythonFloat.text(value)).append('\n');
  }
}
