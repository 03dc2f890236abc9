/**
 * The whole pool in one process for machines that have nothing but a JDK: the command line behind
 * the {@code sluice} launcher, and the embedded backends it starts.
 */
@NullMarked
package io.sluice.standalone;

import org.jspecify.annotations.NullMarked;
