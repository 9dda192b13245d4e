package io.nodepool.ironic.cluster;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import javax.security.auth.x500.X500Principal;

/**
 * Decides which kubelet gets a certificate: only with the credential of a Host's present tenancy,
 * and only for the Node of that Host. Other clients decide all other requests. Pure.
 *
 * @param user the user name of a Host's machine before it has a certificate
 */
record JoinApproval(Function<Host, String> user) {
  private static final String SIGNER = "kubernetes.io/kube-apiserver-client-kubelet";
  private static final String NODE = "system:node:";
  private static final Set<String> USAGES =
      Set.of("digital signature", "key encipherment", "client auth");

  /**
   * The Host whose kubelet sends this request; empty if the request must not be approved.
   *
   * @param hosts finds a Host by name
   */
  Optional<Host> host(CertificateSigningRequest request, Function<String, Optional<Host>> hosts) {
    var spec = request.getSpec();
    boolean decided = request.getStatus() != null && !request.getStatus().getConditions().isEmpty();
    if (decided
        || !SIGNER.equals(spec.getSignerName())
        || !USAGES.containsAll(spec.getUsages())
        || !spec.getUsages().contains("client auth")) {
      return Optional.empty();
    }
    String pem = new String(Base64.getDecoder().decode(spec.getRequest()), StandardCharsets.UTF_8);
    return CertificateSubject.of(pem)
        .flatMap(subject ->
            name(subject)
                .flatMap(hosts)
                .filter(host -> subject.equals(subjectOf(host.id().name()))))
        .filter(host -> host.assignment().isPresent() && host.power() == Host.Power.ON)
        .filter(host -> host.is(HostPhase.BOOTING) || host.is(HostPhase.RUNNING))
        .filter(host -> user.apply(host).equals(spec.getUsername()));
  }

  private static Optional<String> name(X500Principal subject) {
    String text = subject.getName(X500Principal.RFC2253);
    int begin = text.indexOf("CN=" + NODE);
    return begin < 0
        ? Optional.empty()
        : Optional.of(text.substring(begin + 3 + NODE.length()).split("[,+]", 2)[0]);
  }

  private static X500Principal subjectOf(String name) {
    return new X500Principal("CN=%s%s, O=system:nodes".formatted(NODE, name));
  }

  /** The merge patch that approves a request in exactly this state. */
  static ObjectNode approved(CertificateSigningRequest request, Host host, Instant now) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch
        .putObject("metadata")
        .put("uid", request.getMetadata().getUid())
        .put("resourceVersion", request.getMetadata().getResourceVersion());
    patch
        .putObject("status")
        .putArray("conditions")
        .addObject()
        .put("type", "Approved")
        .put("status", "True")
        .put("reason", "HostOfThisTenancy")
        .put(
            "message",
            "The kubelet of Host %s in tenancy %d.".formatted(host.id().name(), host.tenancy()))
        .put("lastUpdateTime", now.toString());
    return patch;
  }
}
