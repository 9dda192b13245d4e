package io.nodepool.kubernetes.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestMeterTest {
  @ParameterizedTest
  @CsvSource({
    "GET,/api/v1/nodes,list nodes",
    "GET,/api/v1/nodes?watch=true&allowWatchBookmarks=true,watch nodes",
    "GET,/api/v1/nodes/n,get nodes",
    "PATCH,/api/v1/nodes/n/status,patch nodes/status",
    "POST,/api/v1/namespaces/default/events,create events",
    "GET,/api/v1/namespaces/default/events/e,get events",
    "GET,/api/v1/namespaces/default,get namespaces",
    "PUT,/apis/coordination.k8s.io/v1/namespaces/n/leases/l,update leases",
    "DELETE,/apis/fleet.nodepool.io/v1alpha1/hosts/h,delete hosts",
    "PATCH,/apis/compute.coreweave.com/v1alpha1/nodepools/p/status?force=true,patch nodepools/status",
    "GET,/version,get version",
    "GET,/apis,get apis"
  })
  void requestsAreNamedByVerbAndResource(String method, String uri, String name) {
    URI parsed = URI.create("https://127.0.0.1:1" + uri);

    assertThat(RequestMeter.verb(method, parsed, "") + " " + RequestMeter.resource(parsed))
        .isEqualTo(name.replace("''", ""));
  }

  @Test
  void aServerSideApplyIsNotAPatch() {
    URI pool = URI.create("https://127.0.0.1:1/apis/compute.coreweave.com/v1alpha1/nodepools/p");

    assertThat(RequestMeter.verb("PATCH", pool, "application/apply-patch+yaml")).isEqualTo("apply");
    assertThat(RequestMeter.verb("PATCH", pool, "application/json-patch+json")).isEqualTo("patch");
  }

  @Test
  void countsAreComparedWithEarlierOnes() {
    RequestCounts earlier =
        new RequestCounts(new TreeMap<>(Map.of("get nodes", 2L, "list nodes", 1L)));
    RequestCounts later =
        new RequestCounts(
            new TreeMap<>(Map.of("get nodes", 5L, "list nodes", 1L, "patch nodes", 1L)));

    assertThat(later.since(earlier).byKind()).isEqualTo(Map.of("get nodes", 3L, "patch nodes", 1L));
    assertThat(later.since(earlier).total()).isEqualTo(4);
  }
}
