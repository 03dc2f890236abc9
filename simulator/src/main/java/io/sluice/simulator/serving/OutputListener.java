package io.sluice.simulator.serving;

/** Receives the outputs of a submission on the driver's thread. Must not block. */
@FunctionalInterface
public interface OutputListener {

  /** Called with new output of a choice. */
  void onOutput(ChoiceOutput output);
}
