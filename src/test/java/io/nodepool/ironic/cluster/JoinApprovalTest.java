package io.nodepool.ironic.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequest;
import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequestBuilder;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Machine;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which kubelet gets a certificate. The requests were made with openssl. */
class JoinApprovalTest {
  /** {@code /O=system:nodes/CN=system:node:metal-01}, of an elliptic curve. */
  private static final String OF_NODE =
      "MIHyMIGYAgEAMDYxFTATBgNVBAoMDHN5c3RlbTpub2RlczEdMBsGA1UEAwwUc3lzdGVtOm5vZGU6"
          + "bWV0YWwtMDEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARMJpfBUAI67op9R2mbxNwa6/LKUqXb"
          + "wqArBnxE9RP9RGfp334vTjixg8DaA6dr1wU1xA7xamhoawLfv7ytysUFoAAwCgYIKoZIzj0EAwID"
          + "SQAwRgIhAMn76J3Fm/07no5d+Zv/zTyxmVUiydpgyq2ACUK4S4cUAiEAqYX6XvPMhV/+uW/XYcbj"
          + "XLgZMPqnoO2nH54DCHsECxw=";

  /** The same with another name of the server in it. */
  private static final String WITH_OTHER_NAMES =
      "MIIBGjCBwQIBADA2MRUwEwYDVQQKDAxzeXN0ZW06bm9kZXMxHTAbBgNVBAMMFHN5c3RlbTpub2Rl"
          + "Om1ldGFsLTAxMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAETCaXwVACOu6KfUdpm8TcGuvyylKl"
          + "28KgKwZ8RPUT/URn6d9+L044sYPA2gOna9cFNcQO8WpoaGsC37+8rcrFBaApMCcGCSqGSIb3DQEJ"
          + "DjEaMBgwFgYDVR0RBA8wDYILYXBpLmV4YW1wbGUwCgYIKoZIzj0EAwIDSAAwRQIhAIUyBTOr19My"
          + "zYIP5h3611RjZZTBwbLmFtWfDX/0YCeDAiAtrHNQEOBWUtUHVfPLFFltsw5i9XUojl/TMJBOE1+Q"
          + "qA==";

  /** {@code /O=system:masters/CN=system:node:metal-01}. */
  private static final String OF_MASTERS =
      "MIH0MIGaAgEAMDgxFzAVBgNVBAoMDnN5c3RlbTptYXN0ZXJzMR0wGwYDVQQDDBRzeXN0ZW06bm9k"
          + "ZTptZXRhbC0wMTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABEwml8FQAjruin1HaZvE3Brr8spS"
          + "pdvCoCsGfET1E/1EZ+nffi9OOLGDwNoDp2vXBTXEDvFqaGhrAt+/vK3KxQWgADAKBggqhkjOPQQD"
          + "AgNJADBGAiEA/Fa7GKFH7thvfNd4OurOBJl6w4HMs9YYdaiYvOLiv/8CIQDlBcQjltZiSQuhz+5k"
          + "OBqXmUkWdzB5iE86FHImvHLZtw==";

  private final JoinApproval approval =
      new JoinApproval(host -> "system:serviceaccount:join:" + JoinDrive.account(host));

  private static Host host(HostPhase phase, int tenancy) {
    return new Host(
        new HostId("metal-01", "uid"),
        1,
        new Machine(
            "turin-gp", new Machine.Location("zone", "", "", "", 0), Machine.Interconnect.NONE),
        new Host.Occupancy(
            tenancy,
            Optional.of(
                new Assignment(
                    new PoolId("pool", "pool-uid"),
                    "default",
                    "op",
                    Instant.EPOCH,
                    NodeTemplate.EMPTY)),
            "c",
            Host.Power.ON),
        DeliveryHistory.CLEAN,
        new Host.Report(phase, tenancy, "", "", Instant.EPOCH));
  }

  private static CertificateSigningRequest request(String user, String signer, String der) {
    String pem =
        "-----BEGIN CERTIFICATE REQUEST-----\n%s\n-----END CERTIFICATE REQUEST-----\n"
            .formatted(der);
    return new CertificateSigningRequestBuilder()
        .withNewMetadata()
        .withName("csr-1")
        .endMetadata()
        .withNewSpec()
        .withUsername(user)
        .withSignerName(signer)
        .withUsages("digital signature", "client auth")
        .withRequest(Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.UTF_8)))
        .endSpec()
        .build();
  }

  private Optional<Host> approved(Host host, CertificateSigningRequest request) {
    return approval.host(
        request, name -> name.equals("metal-01") ? Optional.of(host) : Optional.empty());
  }

  @ParameterizedTest
  @CsvSource({
    "system:serviceaccount:join:join-metal-01-3, kubernetes.io/kube-apiserver-client-kubelet, node,    BOOTING, true",
    "system:serviceaccount:join:join-metal-01-3, kubernetes.io/kube-apiserver-client-kubelet, node,    RUNNING, true",
    "system:serviceaccount:join:join-metal-01-3, kubernetes.io/kube-apiserver-client-kubelet, node,    FREE,    false",
    "system:serviceaccount:join:join-metal-01-3, kubernetes.io/kube-apiserver-client-kubelet, node,    FAILED,  false",
    "system:serviceaccount:join:join-metal-01-2, kubernetes.io/kube-apiserver-client-kubelet, node,    BOOTING, false",
    "system:serviceaccount:join:join-metal-02-3, kubernetes.io/kube-apiserver-client-kubelet, node,    BOOTING, false",
    "system:node:metal-01,                       kubernetes.io/kube-apiserver-client-kubelet, node,    RUNNING, false",
    "system:serviceaccount:join:join-metal-01-3, kubernetes.io/kubelet-serving,               node,    BOOTING, false",
    "system:serviceaccount:join:join-metal-01-3, kubernetes.io/kube-apiserver-client-kubelet, names,   BOOTING, false",
    "system:serviceaccount:join:join-metal-01-3, kubernetes.io/kube-apiserver-client-kubelet, masters, BOOTING, false",
    "system:serviceaccount:join:join-metal-01-3, kubernetes.io/kube-apiserver-client-kubelet, none,    BOOTING, false",
  })
  void onlyTheMachineOfTheTenancyGetsTheCertificateOfItsNode(
      String user, String signer, String which, HostPhase phase, boolean approved) {
    String der =
        switch (which) {
          case "node" -> OF_NODE;
          case "names" -> WITH_OTHER_NAMES;
          case "masters" -> OF_MASTERS;
          default -> "MIIB";
        };
    assertThat(approved(host(phase, 3), request(user, signer, der)).isPresent())
        .isEqualTo(approved);
  }

  @Test
  void aRequestThatIsDecidedIsLeft() {
    CertificateSigningRequest request =
        request(
            "system:serviceaccount:join:join-metal-01-3",
            "kubernetes.io/kube-apiserver-client-kubelet",
            OF_NODE);
    CertificateSigningRequest denied =
        new CertificateSigningRequestBuilder(request)
            .withNewStatus()
            .addNewCondition()
            .withType("Denied")
            .withStatus("True")
            .endCondition()
            .endStatus()
            .build();
    assertThat(approved(host(HostPhase.BOOTING, 3), denied)).isEmpty();
  }

  @Test
  void variablesOfATemplateAreReplacedAndAllElseStays() {
    assertThat(
            JoinDrive.rendered(
                "a: ${nodepool.host} $HOME ${nodepool.unknown} ${x} $1",
                Map.of("host", "metal-01$1")))
        .isEqualTo("a: metal-01$1 $HOME ${nodepool.unknown} ${x} $1");
  }
}
