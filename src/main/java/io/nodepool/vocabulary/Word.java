package io.nodepool.vocabulary;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** A constant of an enum with a word on the wire, by which it is read back. */
public interface Word {
  /** The name of the constant. */
  String name();

  /**
   * The word on the wire; unique within its enum. It is the name of the constant in camel case,
   * such as {@code NotReady} for {@code NOT_READY}, where the enum does not define another one.
   */
  default String word() {
    return Arrays.stream(name().split("_"))
        .map(part -> part.charAt(0) + part.substring(1).toLowerCase(Locale.ROOT))
        .collect(Collectors.joining());
  }

  /** The constant with this word; empty if there is none. */
  static <W extends Enum<W> & Word> Optional<W> of(Class<W> words, String word) {
    return EnumSet.allOf(words).stream().filter(each -> each.word().equals(word)).findFirst();
  }
}
