package io.sluice.common.reply;

/** What becomes of the tokens that were there before a claim. */
public enum ClaimMode {
  /** They stay, and the new attempt continues after them. */
  RESUME,
  /** They are discarded, and the new attempt begins at index 0. */
  RESTART
}
