package io.nodepool.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.HexFormat;

/**
 * The random secrets of one cluster.
 *
 * @param admin the token of a member of {@code system:masters}
 * @param controllerManager the token of {@code system:kube-controller-manager}
 * @param scheduler the token of {@code system:kube-scheduler}
 */
record Credentials(String admin, String controllerManager, String scheduler) {

  private static final int TOKEN_BYTES = 32;
  private static final String TOKENS = "tokens.csv";
  private static final String SIGNING_KEY = "service-account.key";
  private static final String VERIFYING_KEY = "service-account.pub";

  /**
   * Creates the secrets and writes the files from which the programs read them into the cluster's
   * folder.
   */
  static Credentials create(ClusterFolder folder) throws IOException {
    SecureRandom random = new SecureRandom();
    Credentials made = new Credentials(token(random), token(random), token(random));
    Files.writeString(tokens(folder), made.tokenFile());
    KeyPair pair = keyPair(random);
    Files.writeString(signingKey(folder), pem("PRIVATE KEY", pair.getPrivate().getEncoded()));
    Files.writeString(verifyingKey(folder), pem("PUBLIC KEY", pair.getPublic().getEncoded()));
    return made;
  }

  /** The file with the API server's static tokens. */
  static Path tokens(ClusterFolder folder) {
    return folder.state().resolve(TOKENS);
  }

  /** The key that signs the tokens of service accounts. */
  static Path signingKey(ClusterFolder folder) {
    return folder.state().resolve(SIGNING_KEY);
  }

  /** The key that verifies the tokens of service accounts. */
  static Path verifyingKey(ClusterFolder folder) {
    return folder.state().resolve(VERIFYING_KEY);
  }

  /**
   * The columns are token, user, the user's UID, and groups. Kubernetes binds the roles of its own
   * programs to these users.
   */
  private String tokenFile() {
    return """
    %s,nodepool-dev-admin,nodepool-dev-admin,"system:masters"
    %s,system:kube-controller-manager,system:kube-controller-manager
    %s,system:kube-scheduler,system:kube-scheduler
    """
        .formatted(admin, controllerManager, scheduler);
  }

  private static String token(SecureRandom random) {
    byte[] bytes = new byte[TOKEN_BYTES];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private static KeyPair keyPair(SecureRandom random) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"), random);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK supports P-256 keys", e);
    }
  }

  private static String pem(String label, byte[] content) {
    Base64.Encoder encoder = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
    return "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n"
        .formatted(label, encoder.encodeToString(content));
  }
}
