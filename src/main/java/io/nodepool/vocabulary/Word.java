package io.nodepool.vocabulary;

import java.util.EnumSet;
import java.util.Optional;

/** What has a word on the wire, by which it is read back: the constants of an enum. */
public interface Word {
  /** The word on the wire; unique within its enum. */
  String word();

  /** The constant with this word; empty if there is none. */
  static <W extends Enum<W> & Word> Optional<W> of(Class<W> words, String word) {
    return EnumSet.allOf(words).stream().filter(each -> each.word().equals(word)).findFirst();
  }
}
