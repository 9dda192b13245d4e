package io.nodepool.kubernetes.api;

/** Patterns and words that several resources share. */
final class ApiText {
  /** A duration as Go writes it: {@code 90s}, {@code 1h30m}, {@code 1.5h}. */
  static final String DURATION = "^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$";

  /**
   * A label's value: empty, or letters, digits, {@code -}, {@code _} and {@code .}, with a letter
   * or digit at both ends.
   */
  static final String LABEL_VALUE = "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$";

  /** The category under which kubectl lists all resources of this operator at once. */
  static final String CATEGORY = "nodepool-operator";

  private ApiText() {}
}
