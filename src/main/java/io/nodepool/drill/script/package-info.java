/** The script of a drill: deeds, their times and their machines. */
@NullMarked
package io.nodepool.drill.script;

import org.jspecify.annotations.NullMarked;
