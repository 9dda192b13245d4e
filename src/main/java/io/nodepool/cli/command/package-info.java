/** What commands share: environment, failures, exit codes, logs and metrics. */
@NullMarked
package io.nodepool.cli.command;

import org.jspecify.annotations.NullMarked;
