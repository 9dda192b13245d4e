package io.nodepool.vocabulary;

/** A word on the wire that the documentation defines. */
public interface DefinedWord extends Word {
  /**
   * A word and what it means.
   *
   * @param word the word on the wire; unique within its enum
   * @param meaning what it means: a sentence or a part of one
   */
  record Definition(String word, String meaning) {}

  /** The word and what it means. */
  Definition definition();

  @Override
  default String word() {
    return definition().word();
  }

  /** What the word means. */
  default String meaning() {
    return definition().meaning();
  }
}
