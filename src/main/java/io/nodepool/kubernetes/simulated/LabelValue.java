package io.nodepool.kubernetes.simulated;

import java.util.regex.Pattern;

/** What Kubernetes accepts as the value of a label. */
public final class LabelValue {
  private static final int LONGEST = 63;
  private static final Pattern SHAPE =
      Pattern.compile("(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?");

  private LabelValue() {}

  /**
   * Whether the text may stand as a label's value: at most 63 characters, letters and digits at
   * both ends. Empty text may.
   */
  public static boolean isValid(String text) {
    return text.length() <= LONGEST && SHAPE.matcher(text).matches();
  }
}
