/**
 * The custom resources as classes: public fields, no logic. What their annotations say becomes the
 * files in {@code crds/}; what a field means stands in its description, from where {@code kubectl
 * explain} and the reference pages have it.
 */
@org.jspecify.annotations.NullMarked
package io.nodepool.kubernetes.api;
