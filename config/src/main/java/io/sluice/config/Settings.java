package io.sluice.config;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a record as the settings of a service. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Settings {
  /** Returns the service's name, as on the command line. */
  String service();

  /** Returns the beginning of the environment variables that are not named otherwise. */
  String environmentPrefix();
}
