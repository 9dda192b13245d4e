package io.nodepool.kubernetes.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.SignalSourceResource;
import org.junit.jupiter.api.Test;

/** The paths are those of the classes that the definitions are generated from. */
class ApiPathsTest {
  @Test
  void everyPathIsThatOfItsClass() {
    assertThat(ApiPaths.POOLS).isEqualTo(path(NodePool.class));
    assertThat(ApiPaths.HOSTS).isEqualTo(path(HostResource.class));
    assertThat(ApiPaths.SIGNALS).isEqualTo(path(HostSignalsResource.class));
    assertThat(ApiPaths.SOURCES).isEqualTo(path(SignalSourceResource.class));
  }

  private static String path(Class<? extends HasMetadata> type) {
    return "/apis/%s/%s/%s"
        .formatted(
            HasMetadata.getGroup(type), HasMetadata.getVersion(type), HasMetadata.getPlural(type));
  }
}
