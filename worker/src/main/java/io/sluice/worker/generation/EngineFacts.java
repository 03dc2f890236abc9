package io.sluice.worker.generation;

import java.util.List;
import java.util.Optional;

/**
 * What a generation must know of the engine that serves it.
 *
 * @param models the names that the engine lists, its own first; may be empty
 * @param announced the name that the worker serves under, where it is configured
 * @param continuesChats whether it can go on in the middle of an assistant's message
 */
public record EngineFacts(List<String> models, Optional<String> announced, boolean continuesChats) {
  public EngineFacts {
    models = List.copyOf(models);
  }
}
