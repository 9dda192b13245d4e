package io.nodepool.kubernetes.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.kubernetes.ClientEdit;
import io.nodepool.kubernetes.TestCluster;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@WithLocalCluster
class LeadershipIT {
  private final KubernetesClient admin;
  private final RequestMeter meter = new RequestMeter(new SimpleMeterRegistry());
  private final KubernetesClient client;
  private final List<String> events = new CopyOnWriteArrayList<>();
  private final AtomicLong ahead = new AtomicLong();

  LeadershipIT(LocalCluster cluster, KubernetesClient admin) {
    this.admin = admin;
    this.client = Clients.forLease(Config.fromKubeconfig(cluster.kubeconfig()), meter);
  }

  @BeforeEach
  void prepare() {
    TestCluster.prepare(admin);
  }

  @AfterEach
  void cleanUp() {
    client.close();
    admin.leases().inNamespace(Leadership.NAMESPACE).withName(Leadership.LEASE).delete();
  }

  private Leadership candidate(String name) {
    return candidate(name, () -> System.nanoTime() + ahead.get());
  }

  private Leadership candidate(String name, LongSupplier nanoTime) {
    Leadership candidate =
        new Leadership(
            client,
            name,
            InstantSource.system(),
            nanoTime,
            new LeaderElection.Terms(LeaderElection.Rivals.POSSIBLE, Duration.ofMinutes(10), ""),
            new LeaderElection.Events() {
              @Override
              public void waits() {
                events.add(name + " waits");
              }

              @Override
              public void resumed(Instant at) {}

              @Override
              public void won() {
                events.add(name + " won");
              }

              @Override
              public void lost() {
                events.add(name + " lost");
              }
            });
    candidate.start();
    return candidate;
  }

  @Test
  void theGateClosesEightSecondsAfterTheLastRenewal() {
    try (Leadership leader = candidate("a")) {
      assertThat(leader.isOpen()).isFalse();
      await().until(leader::isOpen);

      // The next renewal has not happened yet.
      boolean open = openAfter(leader, Duration.ofSeconds(4));
      assertThat(open).isTrue();
      assertThat(openAfter(leader, Duration.ofSeconds(9))).isFalse();
      await().until(leader::isOpen);
    }
    assertThat(events).containsExactly("a won");
  }

  private boolean openAfter(Leadership leader, Duration jump) {
    ahead.addAndGet(jump.toNanos());
    return leader.isOpen();
  }

  @Test
  void aLeaseIsReleasedSoThatNoProcessWaitsUntilItExpires() {
    Leadership first = candidate("a");
    await().until(first::isOpen);
    first.close();
    assertThat(first.isOpen()).isFalse();
    assertThat(lease().getSpec().getHolderIdentity()).isNull();

    try (Leadership second = candidate("b")) {
      await().atMost(Duration.ofMinutes(1)).until(second::isOpen);
    }
    assertThat(events).containsExactly("a won", "b won");
  }

  @Test
  void aLeaseThatAnotherProcessTookIsNotReleased() {
    AtomicLong now = new AtomicLong();
    Leadership leader = candidate("a", now::get);
    await().until(leader::isOpen);
    ClientEdit.edited(
        admin.leases().inNamespace(Leadership.NAMESPACE).withName(Leadership.LEASE),
        lease -> lease.getSpec().setHolderIdentity("somebody-else"));
    String taken = version();

    leader.close();

    assertThat(version()).isEqualTo(taken);
  }

  @Test
  void aCandidateIsNotifiedOnceThatAnotherProcessLeads() {
    try (Leadership leader = candidate("a")) {
      await().until(leader::isOpen);
      Leadership waiting = candidate("b");
      await().until(() -> events.contains("b waits"));
      waiting.close();
      assertThat(leader.isOpen()).isTrue();
      assertThat(lease().getSpec().getHolderIdentity()).isEqualTo("a");
    }
    assertThat(events).containsExactly("a won", "b waits");
  }

  @Test
  void aLeaderWithAWrongClockKeepsItsLeaseButIsNotRespectedForLong() {
    for (long hours : new long[] {-1, 1}) {
      AtomicLong now = new AtomicLong();
      holdWith(hours);
      try (Leadership waiting = candidate("b " + hours, now::get)) {
        await().until(() -> events.contains("b %d waits".formatted(hours)));
        now.addAndGet(Duration.ofSeconds(14).toNanos());
        renewWith(hours);
        long checks = meter.counts().of("get leases");
        await().until(() -> meter.counts().of("get leases") > checks + 2);
        assertThat(waiting.isOpen()).isFalse();

        now.addAndGet(Duration.ofSeconds(16).toNanos());
        await().until(waiting::isOpen);
      }
      assertThat(events)
          .containsSequence("b %d waits".formatted(hours), "b %d won".formatted(hours));
      admin.leases().inNamespace(Leadership.NAMESPACE).withName(Leadership.LEASE).delete();
    }
  }

  private void holdWith(long hoursAhead) {
    admin
        .resource(
            new LeaseBuilder()
                .withNewMetadata()
                .withName(Leadership.LEASE)
                .withNamespace(Leadership.NAMESPACE)
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity("somebody-else")
                .withLeaseDurationSeconds(15)
                .withRenewTime(wrong(hoursAhead))
                .endSpec()
                .build())
        .create();
  }

  private void renewWith(long hoursAhead) {
    ClientEdit.edited(
        admin.leases().inNamespace(Leadership.NAMESPACE).withName(Leadership.LEASE),
        lease -> lease.getSpec().setRenewTime(wrong(hoursAhead)));
  }

  private static ZonedDateTime wrong(long hoursAhead) {
    return InstantSource.system().instant().atZone(ZoneOffset.UTC).plusHours(hoursAhead);
  }

  private String version() {
    return lease().getMetadata().getResourceVersion();
  }

  private Lease lease() {
    return admin.leases().inNamespace(Leadership.NAMESPACE).withName(Leadership.LEASE).require();
  }
}
