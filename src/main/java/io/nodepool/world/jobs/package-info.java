/** The Jobs of the virtual world. */
@NullMarked
package io.nodepool.world.jobs;

import org.jspecify.annotations.NullMarked;
