@NullMarked
package io.nodepool.receiver;

import org.jspecify.annotations.NullMarked;
