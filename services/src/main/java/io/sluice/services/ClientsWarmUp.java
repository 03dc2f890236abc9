package io.sluice.services;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;

/**
 * Runs client commands in this process.
 *
 * @param kafka the bootstrap servers of a running pool, which serves {@value #MODEL}
 * @param redis the address of its Redis
 */
record ClientsWarmUp(String kafka, String redis) {
  /** The default model of client commands. */
  static final String MODEL = "sluice-8b";

  private static final int BATCH_REQUESTS = 64;

  /**
   * Runs the commands.
   *
   * @throws IllegalStateException if one fails
   */
  void run() throws IOException {
    Path folder = Files.createTempDirectory("sluice-warm-up-");
    Path input = folder.resolve("in.jsonl");
    Path output = folder.resolve("out.jsonl");
    try {
      Files.write(
          input, IntStream.range(0, BATCH_REQUESTS).mapToObj(ClientsWarmUp::batchLine).toList());
      command("chat", "--kafka", kafka, "--model", MODEL, "--max-tokens", "24", "Hello");
      command("batch", "--kafka", kafka, "-o", output.toString(), input.toString());
      command("worker", "list", "--redis", redis);
    } finally {
      Files.deleteIfExists(input);
      Files.deleteIfExists(output);
      Files.deleteIfExists(folder);
    }
  }

  /** Returns a line of a batch. */
  static String batchLine(int number) {
    return """
        {"custom_id": "%s", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "%s", "max_tokens": 24, "messages": [{"role": "user", "content": "Hello"}]}}\
        """
        .formatted(number, MODEL);
  }

  private static void command(String... arguments) {
    var errors = new StringWriter();
    int exitCode =
        new Commands(ServiceCommands.all())
            .commandLine(false)
            .setOut(new PrintWriter(Writer.nullWriter()))
            .setErr(new PrintWriter(errors))
            .execute(arguments);
    if (exitCode != 0) {
      throw new IllegalStateException(String.join(" ", arguments) + " failed: " + errors);
    }
  }
}
