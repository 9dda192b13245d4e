/** The forms of texts, and what of a text is not true. */
@NullMarked
package io.nodepool.world.check.text;

import org.jspecify.annotations.NullMarked;
