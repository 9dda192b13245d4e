@NullMarked
package io.nodepool.cli.view;

import org.jspecify.annotations.NullMarked;
