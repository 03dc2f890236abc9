/** Prefixes of prompts, in hashed blocks, and which workers have them cached. Pure. */
@NullMarked
package io.sluice.router.prefix;

import org.jspecify.annotations.NullMarked;
