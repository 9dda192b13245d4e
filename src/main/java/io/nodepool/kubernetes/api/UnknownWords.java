package io.nodepool.kubernetes.api;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A part of an object that keeps in mind which of its fields hold a word that is none of ours, as a
 * later version may write one. Such a field reads as absent, and must not be taken for that.
 */
public abstract class UnknownWords {
  private final transient List<String> unknown = new ArrayList<>();

  /** Notes that a field holds such a word. */
  public void note(String field, String word) {
    unknown.add(field + " is no word that is known: " + word);
  }

  /** What was noted, a sentence each. */
  public List<String> unknownWords() {
    return Collections.unmodifiableList(unknown);
  }
}
