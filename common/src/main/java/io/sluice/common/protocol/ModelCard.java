package io.sluice.common.protocol;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/**
 * What an engine says about a model in {@code /v1/models}, without the model's name. Fields that
 * the engine does not list are empty.
 *
 * @param root what the model was loaded from; empty if that is its parent, or without a parent the
 *     model itself
 * @param parent the base model of an adapter; empty for a base model
 * @param maxModelLen the longest context in tokens
 * @param created when the model was created or first listed, in epoch seconds
 */
public record ModelCard(
    Optional<String> root,
    Optional<String> parent,
    Optional<String> ownedBy,
    OptionalInt maxModelLen,
    OptionalLong created) {
  /** The card of a model of which only the name is known. */
  public static final ModelCard EMPTY =
      new ModelCard(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          OptionalInt.empty(),
          OptionalLong.empty());

  /** Replaces the fields that are absent in JSON by empty values. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public ModelCard {
    root = root == null ? Optional.empty() : root;
    parent = parent == null ? Optional.empty() : parent;
    ownedBy = ownedBy == null ? Optional.empty() : ownedBy;
    maxModelLen = maxModelLen == null ? OptionalInt.empty() : maxModelLen;
    created = created == null ? OptionalLong.empty() : created;
  }

  /** Returns the root of the model, whose name the card does not hold. */
  public String rootOf(String model) {
    return root.or(() -> parent).orElse(model);
  }

  /** Returns the same with the earlier one of two times. */
  public ModelCard createdBy(OptionalLong other) {
    OptionalLong earlier = LongStream.concat(created.stream(), other.stream()).min();
    return new ModelCard(root, parent, ownedBy, maxModelLen, earlier);
  }

  /** Returns the same without the context, unless that is shorter than a limit of all models. */
  public ModelCard within(int longest) {
    boolean isShorter = maxModelLen.isPresent() && maxModelLen.getAsInt() < longest;
    return isShorter ? this : new ModelCard(root, parent, ownedBy, OptionalInt.empty(), created);
  }

  /**
   * Returns the card of another name of the model.
   *
   * @param model the name that the card belongs to
   */
  public ModelCard ofAlias(String alias, String model) {
    String told = rootOf(model);
    Optional<String> base = parent.filter(name -> !name.equals(alias));
    return new ModelCard(
        Optional.of(told).filter(name -> !name.equals(base.orElse(alias))),
        base,
        ownedBy,
        maxModelLen,
        created);
  }
}
