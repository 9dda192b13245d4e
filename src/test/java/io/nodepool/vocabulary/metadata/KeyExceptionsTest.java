package io.nodepool.vocabulary.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyExceptionsTest {
  @Test
  void anAllowedKeyIsFollowedAndItsNeighboursAreNot() {
    KeyExceptions tier = KeyExceptions.of(List.of("apps.coreweave.cloud/tier"));
    assertThat(LabelDomains.allowedInSpec("apps.coreweave.cloud/tier", tier.keys())).isTrue();
    assertThat(LabelDomains.followedAsLabel("apps.coreweave.cloud/tier", tier.keys())).isTrue();
    assertThat(LabelDomains.followedAsAnnotation("apps.coreweave.cloud/tier", tier.keys()))
        .isTrue();
    assertThat(LabelDomains.allowedInSpec("apps.coreweave.cloud/tier2", tier.keys())).isFalse();
    assertThat(LabelDomains.allowedInSpec("Apps.coreweave.cloud/tier", tier.keys())).isFalse();
    assertThat(LabelDomains.refusedAsTaint("apps.coreweave.cloud/tier")).isPresent();
  }

  @Test
  void keysThatAreAllowedAnywayMayBeGivenAndAreLeftOut() {
    assertThat(
            KeyExceptions.of(
                    List.of(
                        "cks.coreweave.cloud/system-critical",
                        "a.coreweave.com/b",
                        "a.coreweave.com/b"))
                .keys())
        .containsExactly("a.coreweave.com/b");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "team | every NodePool may set it",
        "example.com/team | every NodePool may set it",
        "apps.coreweave.cloud/ | \"apps.coreweave.cloud/\" cannot be allowed",
        "apps.coreweave.cloud/a b | cannot be allowed",
        "Apps.coreweave.cloud/a | cannot be allowed",
        "node.coreweave.cloud/class | it has a meaning",
        "node.coreweave.cloud/state | it has a meaning",
        "compute.coreweave.com/node-pool | it has a meaning",
        "compute.coreweave.com/remove-node | it has a meaning",
        "sunk.coreweave.com/lock | it has a meaning",
        "node.coreweave.cloud/cordonReason | it has a meaning"
      })
  void aKeyThatCannotBeAnExceptionIsRefusedWithTheReason(String key, String why) {
    assertThat(KeyExceptions.problem(List.of(key)))
        .hasValueSatisfying(text -> assertThat(text).contains(why));
    assertThatThrownBy(() -> KeyExceptions.of(List.of(key))).hasMessageContaining(why);
  }

  @Test
  void thereAreAtMost32() {
    List<String> keys = IntStream.range(0, 33).mapToObj(i -> "a.coreweave.com/k" + i).toList();
    assertThat(KeyExceptions.of(keys.subList(0, 32)).keys()).hasSize(32);
    assertThat(KeyExceptions.problem(keys)).contains("33 keys are too many: at most 32");
  }
}
