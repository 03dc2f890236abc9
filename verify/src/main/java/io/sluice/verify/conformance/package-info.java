/** The rules that a vLLM server follows, with one check each. */
@NullMarked
package io.sluice.verify.conformance;

import org.jspecify.annotations.NullMarked;
