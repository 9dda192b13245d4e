package io.nodepool.vocabulary.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LabelDomainsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "foo.coreweave.cloud/bar",
        "foo.coreweave.com/bar",
        "coreweave.cloud/bar",
        "coreweave.com/bar",
        "a.b.coreweave.com/bar",
        "Foo.CoreWeave.Cloud/bar"
      })
  void keysOfTheProvidersDomainsAreReservedAndNotAllowedInASpec(String key) {
    assertThat(LabelDomains.reserved(key)).isTrue();
    assertThat(LabelDomains.allowedInSpec(key, Set.of())).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "team",
        "coreweave.com",
        "notcoreweave.com/bar",
        "coreweave.com.example.org/bar",
        "nodepool.io/x"
      })
  void allOtherKeysAreFree(String key) {
    assertThat(LabelDomains.reserved(key)).isFalse();
    assertThat(LabelDomains.allowedInSpec(key, Set.of())).isTrue();
  }

  @Test
  void metadataOfTheMachineAndTheOperatorIsNotAppliedFromASpec() {
    assertThat(LabelDomains.followedAsLabel("team", Set.of())).isTrue();
    assertThat(LabelDomains.followedAsLabel("cks.coreweave.cloud/system-critical", Set.of()))
        .isTrue();
    assertThat(LabelDomains.followedAsLabel("node.coreweave.cloud/dra-gpu-enabled", Set.of()))
        .isTrue();
    assertThat(LabelDomains.followedAsLabel("kubernetes.io/hostname", Set.of())).isFalse();
    assertThat(LabelDomains.followedAsLabel("gpu.nvidia.com/model", Set.of())).isFalse();
    assertThat(LabelDomains.followedAsLabel("node.coreweave.cloud/anything", Set.of())).isFalse();
    assertThat(LabelDomains.followedAsAnnotation("contact", Set.of())).isTrue();
    assertThat(LabelDomains.followedAsAnnotation("nodepool.io/applied-metadata", Set.of()))
        .isFalse();
    assertThat(LabelDomains.followedAsAnnotation("fleet.nodepool.io/host-uid", Set.of())).isFalse();
    assertThat(LabelDomains.followedAsAnnotation("x.coreweave.com/y", Set.of())).isFalse();
  }

  @Test
  void systemCriticalIsReservedButASpecMaySetIt() {
    assertThat(LabelDomains.reserved("cks.coreweave.cloud/system-critical")).isTrue();
    assertThat(LabelDomains.allowedInSpec("cks.coreweave.cloud/system-critical", Set.of()))
        .isTrue();
    assertThat(LabelDomains.allowedInSpec("node.coreweave.cloud/dra-gpu-enabled", Set.of()))
        .isTrue();
    assertThat(LabelDomains.allowedInSpec("node.coreweave.cloud/dra-gpu-enabled2", Set.of()))
        .isFalse();
    assertThat(LabelDomains.REFUSAL)
        .isEqualTo("Namespaces `*.coreweave.cloud` or `*.coreweave.com` are not allowed.");
  }
}
