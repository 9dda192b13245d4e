package io.nodepool.simulated.cluster.document;

import java.util.regex.Pattern;

/** Checks the values of labels by the rules of Kubernetes. */
public final class LabelValue {
  private static final int LONGEST = 63;
  private static final Pattern SHAPE =
      Pattern.compile("(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?");

  private LabelValue() {}

  /**
   * Whether the text is a valid value of a label: empty, or at most 63 characters with a letter or
   * digit at both ends.
   */
  public static boolean isValid(String text) {
    return text.length() <= LONGEST && SHAPE.matcher(text).matches();
  }
}
