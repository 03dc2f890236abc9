/**
 * Settings of a service: one annotated record declares them, flags, environment and a file give
 * their values, and the same declaration prints the help, {@code sluice config} and the tables of
 * {@code docs/configuration.md}. Also the text tables of all commands.
 */
@NullMarked
package io.sluice.config;

import org.jspecify.annotations.NullMarked;
