/**
 * The failures that an engine can be made to show: their text form, which is the same in flags, in
 * the admin API and in a request header, and the board that says which of them are on.
 */
@NullMarked
package io.sluice.simulator.fault;

import org.jspecify.annotations.NullMarked;
