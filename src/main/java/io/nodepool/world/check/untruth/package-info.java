/** What the oracle of texts finds, and which finds are not mended yet. */
@NullMarked
package io.nodepool.world.check.untruth;

import org.jspecify.annotations.NullMarked;
