package io.nodepool.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.nodepool.cli.command.Crds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CrdsTest {
  private static boolean isEstablished(String status) {
    return Crds.isEstablished(
        Serialization.unmarshal(
            "{\"kind\": \"CustomResourceDefinition\", \"status\": %s}".formatted(status),
            CustomResourceDefinition.class));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "{}",
        "{\"conditions\": null}",
        "{\"conditions\": [{\"type\": \"Established\", \"status\": \"False\"}]}"
      })
  void aDefinitionWithoutConditionsIsNotServed(String status) {
    assertThat(isEstablished(status)).isFalse();
  }

  @Test
  void aDefinitionIsServedOnceItIsEstablished() {
    assertThat(
            isEstablished("{\"conditions\": [{\"type\": \"Established\", \"status\": \"True\"}]}"))
        .isTrue();
  }
}
