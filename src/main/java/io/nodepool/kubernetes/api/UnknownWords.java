package io.nodepool.kubernetes.api;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A part of an object that records which of its enum fields have an unknown value, such as a later
 * version may write. Such a field reads as absent, but must not be treated as absent.
 */
public abstract class UnknownWords {
  private final transient List<String> unknown = new ArrayList<>();

  /** Records that a field has such a value. */
  public void note(String field, String word) {
    unknown.add(field + " is no word that is known: " + word);
  }

  /** The recorded values, a sentence each. */
  public List<String> unknownWords() {
    return Collections.unmodifiableList(unknown);
  }
}
