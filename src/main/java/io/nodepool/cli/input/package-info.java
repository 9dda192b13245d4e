/** The input of users: options and their values, files, manifests and kubeconfigs. */
@NullMarked
package io.nodepool.cli.input;

import org.jspecify.annotations.NullMarked;
