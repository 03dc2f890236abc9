package io.sluice.gateway;

/** The property that tells a gateway's application context from those of other services. */
public final class Service {
  /** The name of the property. */
  public static final String PROPERTY = "sluice.service";

  /** Its value in a gateway's context. */
  public static final String GATEWAY = "gateway";

  private Service() {}
}
