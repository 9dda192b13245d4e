/**
 * The custom resources as classes: public fields, no logic. The files in {@code crds/} are
 * generated from their annotations. The meaning of a field is in its description, which {@code
 * kubectl explain} and the reference pages show.
 */
@org.jspecify.annotations.NullMarked
package io.nodepool.kubernetes.api;
