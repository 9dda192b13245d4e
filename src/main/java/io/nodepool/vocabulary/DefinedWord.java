package io.nodepool.vocabulary;

/** A word on the wire that the documentation defines. */
public interface DefinedWord extends Word {
  /** What the word means: a sentence or a part of one. */
  String meaning();
}
