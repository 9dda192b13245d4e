package io.nodepool.http;

import io.fabric8.kubernetes.client.internal.SSLUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The certificate of a server and its key, in a directory in which they may be replaced: new
 * connections get what is there then.
 */
public final class ServingCertificate {
  private static final String CERTIFICATE = "tls.crt";
  private static final String KEY = "tls.key";

  private final SSLContext context;

  /**
   * Reads the certificate.
   *
   * @param directory contains {@code tls.crt} and {@code tls.key} in PEM format, as a Secret of
   *     type kubernetes.io/tls
   * @throws IOException if it contains none that can be used; the message says what would be right
   */
  public ServingCertificate(Path directory) throws IOException {
    FileContent<X509ExtendedKeyManager> content =
        new FileContent<>(
            List.of(directory.resolve(CERTIFICATE), directory.resolve(KEY)),
            files -> keys(directory, files.getFirst(), files.getLast()));
    try {
      this.context = SSLContext.getInstance("TLS");
      context.init(new KeyManager[] {new Current(content)}, null, null);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JVM has no TLS", e);
    }
  }

  private static X509ExtendedKeyManager keys(Path directory, byte[] certificate, byte[] key)
      throws IOException {
    try {
      X509Certificate own =
          (X509Certificate)
              CertificateFactory.getInstance("X.509")
                  .generateCertificate(new ByteArrayInputStream(certificate));
      KeyManager[] managers =
          SSLUtils.keyManagers(
              new ByteArrayInputStream(certificate),
              new ByteArrayInputStream(key),
              own.getPublicKey().getAlgorithm(),
              "",
              null,
              "");
      return (X509ExtendedKeyManager) managers[0];
    } catch (GeneralSecurityException | RuntimeException e) {
      throw new IOException(
          "%s must contain a certificate in %s and its private key in %s, both in PEM format (%s)"
              .formatted(directory, CERTIFICATE, KEY, e.getMessage()),
          e);
    }
  }

  /** The context of connections; the same while the process runs. */
  SSLContext context() {
    return context;
  }

  /** The keys of the files at the moment of a handshake. */
  private static final class Current extends X509ExtendedKeyManager {
    private final FileContent<X509ExtendedKeyManager> content;

    Current(FileContent<X509ExtendedKeyManager> content) {
      this.content = content;
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
        String keyType, Principal @Nullable [] issuers, SSLEngine engine) {
      return content.get().chooseEngineServerAlias(keyType, issuers, engine);
    }

    @Override
    public @Nullable String chooseServerAlias(
        String keyType, Principal @Nullable [] issuers, Socket socket) {
      return content.get().chooseServerAlias(keyType, issuers, socket);
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
      return content.get().getCertificateChain(alias);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
      return content.get().getPrivateKey(alias);
    }

    @Override
    public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
      return content.get().getServerAliases(keyType, issuers);
    }

    @Override
    public @Nullable String chooseClientAlias(
        String[] keyType, Principal @Nullable [] issuers, Socket socket) {
      return null;
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
      return null;
    }
  }
}
