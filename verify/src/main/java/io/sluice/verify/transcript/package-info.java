/** The same requests to two engines, and what differs in the form of their answers. */
@NullMarked
package io.sluice.verify.transcript;

import org.jspecify.annotations.NullMarked;
