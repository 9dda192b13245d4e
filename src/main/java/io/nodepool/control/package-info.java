/** The reconcile loops of pools, machines and Namespaces, and the submission of their actions. */
@NullMarked
package io.nodepool.control;

import org.jspecify.annotations.NullMarked;
