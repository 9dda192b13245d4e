/** The loops: what is known, when to plan, which writes are under way, what was reported last. */
@NullMarked
package io.nodepool.control;

import org.jspecify.annotations.NullMarked;
