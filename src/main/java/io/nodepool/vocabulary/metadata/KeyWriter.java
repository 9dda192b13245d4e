package io.nodepool.vocabulary.metadata;

import java.util.Set;
import java.util.stream.Collectors;

/** Who may write a label, an annotation or a condition. The admission policies enforce this. */
public enum KeyWriter {
  /** The controller of the fleet, when a machine joins as a Node and later. */
  FLEET("the fleet"),
  /** The operator. */
  OPERATOR("the operator"),
  /** Users and other controllers. */
  CLIENT("clients");

  private final String text;

  KeyWriter(String text) {
    this.text = text;
  }

  /** The writers as text. */
  public static String text(Set<KeyWriter> writers) {
    return writers.stream().sorted().map(each -> each.text).collect(Collectors.joining(", "));
  }
}
