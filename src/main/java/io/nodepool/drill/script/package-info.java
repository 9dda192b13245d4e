/** The script of a drill: what happens when, and to which machines. */
@NullMarked
package io.nodepool.drill.script;

import org.jspecify.annotations.NullMarked;
