@NullMarked
package io.nodepool.kubernetes.simulated.document;

import org.jspecify.annotations.NullMarked;
