package io.sluice.simulator.serving;

/** Takes the outputs of a submission on the driver's thread; must not block. */
@FunctionalInterface
public interface OutputListener {

  /** Takes what a choice has new. */
  void onOutput(ChoiceOutput output);
}
