package io.nodepool.vocabulary;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UserTextTest {
  @Test
  void aShortTextIsQuotedAsItIs() {
    assertThat(UserText.quoted("30 m")).isEqualTo("\"30 m\"");
  }

  @Test
  void aLongTextIsCutBetweenCharacters() {
    assertThat(UserText.quoted("x".repeat(80))).hasSize(82);
    assertThat(UserText.quoted("x".repeat(81))).isEqualTo("\"" + "x".repeat(80) + "…\"");
    assertThat(UserText.shortened("😀".repeat(50), 3)).isEqualTo("😀😀😀…");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 0x1B, 0x7F, '\n', 0x85, 0x9B, 0x2028, 0x202E, 0x2066, 0xD800})
  void aCharacterThatControlsATerminalIsReplaced(int point) {
    assertThat(UserText.shortened("a" + Character.toString(point) + "b", 9)).isEqualTo("a?b");
  }
}
