/**
 * Commands for operators: the current state of the fleet, read from Redis, and orders to its
 * workers and breakers.
 */
@NullMarked
package io.sluice.cli.operations;

import org.jspecify.annotations.NullMarked;
