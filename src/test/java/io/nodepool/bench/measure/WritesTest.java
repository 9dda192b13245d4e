package io.nodepool.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.kubernetes.client.RequestCounts;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class WritesTest {
  private static final MetricsText SERVER =
      new MetricsText(
          """
          apiserver_request_total{code="200",dry_run="",resource="nodes",subresource="status",verb="PATCH"} 5
          apiserver_request_total{code="409",dry_run="",resource="nodes",subresource="status",verb="PATCH"} 2
          apiserver_request_total{code="201",dry_run="",resource="nodes",subresource="",verb="POST"} 4
          apiserver_request_total{code="200",dry_run="All",resource="nodes",subresource="",verb="POST"} 9
          apiserver_request_total{code="200",dry_run="",resource="nodepools",subresource="status",verb="APPLY"} 3
          apiserver_request_total{code="200",dry_run="",resource="nodes",subresource="",verb="LIST"} 8
          apiserver_request_total{code="200",dry_run="",resource="leases",subresource="",verb="PUT"} 8
          apiserver_request_total{code="0",dry_run="",resource="nodes",subresource="",verb="WATCH"} 1
          """);

  @Test
  void onlyWritesOfTheServerCountWithoutLeases() {
    assertThat(Writes.ofServer(SERVER).byKind())
        .isEqualTo(
            Map.of("patch nodes/status", 7L, "create nodes", 4L, "apply nodepools/status", 3L));
  }

  @Test
  void rejectedWritesAreThoseWithoutSuccess() {
    assertThat(Writes.refusedByServer(SERVER).byKind()).isEqualTo(Map.of("patch nodes/status", 2L));
  }

  @Test
  void theOperatorNamesItsRequestsInTheSameWay() {
    MetricsText operator =
        new MetricsText(
            """
            nodepool_api_requests_total{code="200",resource="nodes/status",verb="patch"} 5.0
            nodepool_api_requests_total{code="409",resource="events",verb="create"} 1.0
            nodepool_api_requests_total{code="200",resource="leases",verb="update"} 6.0
            nodepool_api_requests_total{code="200",resource="nodes",verb="list"} 6.0
            """);

    assertThat(Writes.ofOperator(operator).byKind())
        .isEqualTo(Map.of("patch nodes/status", 5L, "create events", 1L));
  }

  @Test
  void readsAreTakenOutOfCounts() {
    RequestCounts requests =
        new RequestCounts(new TreeMap<>(Map.of("get nodes", 1L, "create nodes", 2L)));

    assertThat(Writes.among(requests).byKind()).isEqualTo(Map.of("create nodes", 2L));
  }
}
