package io.nodepool.kubernetes.api.schema;

/** Patterns and names that several resources share. */
public final class ApiText {
  /** A duration in Go's format: {@code 90s}, {@code 1h30m}, {@code 1.5h}. */
  public static final String DURATION = "^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$";

  /**
   * A label's value: empty, or letters, digits, {@code -}, {@code _} and {@code .}, with a letter
   * or digit at both ends.
   */
  public static final String LABEL_VALUE = "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$";

  /** The category under which kubectl lists all resources of the operator together. */
  public static final String CATEGORY = "nodepool-operator";

  private ApiText() {}
}
