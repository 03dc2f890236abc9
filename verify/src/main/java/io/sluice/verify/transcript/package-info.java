/** Sends the same requests to two engines and compares the form of their answers. */
@NullMarked
package io.sluice.verify.transcript;

import org.jspecify.annotations.NullMarked;
