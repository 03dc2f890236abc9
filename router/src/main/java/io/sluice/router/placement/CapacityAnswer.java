package io.sluice.router.placement;

/** Whether a request that found no room gets a reservation of capacity. */
public enum CapacityAnswer {
  /** A worker is reserved for it. */
  RESERVED,
  /** Only a reservation is missing: no more workers that could serve it may be reserved. */
  NONE_LEFT,
  /** It has not waited long enough yet, or it lacks something other than memory. */
  NOT_DUE
}
