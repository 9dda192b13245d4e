package io.nodepool.vocabulary;

import java.util.Locale;

/** A word in lower case, as the values of metrics' labels are. */
public interface LowerCaseWord extends Word {
  /** The name of the constant in lower case. */
  @Override
  default String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
