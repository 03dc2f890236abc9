/** Speaking to the engine under examination, in good HTTP and in bad. */
@NullMarked
package io.sluice.verify.http;

import org.jspecify.annotations.NullMarked;
