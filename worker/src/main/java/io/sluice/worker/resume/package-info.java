/** How a request's answer is continued after an earlier attempt has begun it. */
@NullMarked
package io.sluice.worker.resume;

import org.jspecify.annotations.NullMarked;
