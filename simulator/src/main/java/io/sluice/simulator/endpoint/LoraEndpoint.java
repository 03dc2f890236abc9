package io.sluice.simulator.endpoint;

import io.sluice.simulator.http.Exchange;
import io.sluice.simulator.openai.request.ApiError;
import io.sluice.simulator.openai.request.Fields;
import io.sluice.simulator.openai.request.LoraAdapters;
import java.nio.charset.StandardCharsets;

/** {@code /v1/load_lora_adapter} and {@code /v1/unload_lora_adapter}. */
final class LoraEndpoint {

  private final LoraAdapters adapters;

  LoraEndpoint(LoraAdapters adapters) {
    this.adapters = adapters;
  }

  void load(Exchange exchange) {
    Fields body = RequestBody.of(exchange);
    String name = body.string("lora_name").orElse("");
    String path = body.string("lora_path").orElse("");
    if (name.isEmpty() || path.isEmpty()) {
      throw ApiError.badLora("Both 'lora_name' and 'lora_path' must be provided.");
    }
    adapters.load(name, path, body.flag("load_inplace", false));
    reply(exchange, "Success: LoRA adapter '" + name + "' added successfully.");
  }

  void unload(Exchange exchange) {
    String name = RequestBody.of(exchange).string("lora_name").orElse("");
    if (name.isEmpty()) {
      throw ApiError.badLora("'lora_name' needs to be provided to unload a LoRA adapter.");
    }
    adapters.unload(name);
    reply(exchange, "Success: LoRA adapter '" + name + "' removed successfully.");
  }

  private static void reply(Exchange exchange, String text) {
    exchange.reply(200, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
  }
}
