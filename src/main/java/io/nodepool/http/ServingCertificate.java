package io.nodepool.http;

import io.fabric8.kubernetes.client.internal.CertUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.KeyStoreBuilderParameters;
import javax.net.ssl.SSLContext;

/**
 * The certificate of a server and its key, in a directory in which they may be replaced: new
 * connections use the new files.
 */
public final class ServingCertificate {
  private static final String CERTIFICATE = "tls.crt";
  private static final String KEY = "tls.key";
  private static final char[] NO_PASSPHRASE = {};

  private final SSLContext context;

  /**
   * Reads the certificate.
   *
   * @param directory contains {@code tls.crt} and {@code tls.key} in PEM format, as a Secret of
   *     type kubernetes.io/tls
   * @throws IOException if it contains no usable certificate; the message states what is required
   */
  public ServingCertificate(Path directory) throws IOException {
    FileContent<KeyStore> content =
        new FileContent<>(
            List.of(directory.resolve(CERTIFICATE), directory.resolve(KEY)),
            files -> store(directory, files.getFirst(), files.getLast()));
    try {
      this.context = SSLContext.getInstance("TLS");
      // This factory requests the store anew in each handshake.
      KeyManagerFactory keys = KeyManagerFactory.getInstance("NewSunX509");
      keys.init(new KeyStoreBuilderParameters(new Current(content)));
      context.init(keys.getKeyManagers(), null, null);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JVM has no TLS", e);
    }
  }

  private static KeyStore store(Path directory, byte[] certificate, byte[] key) throws IOException {
    try {
      X509Certificate own =
          (X509Certificate)
              CertificateFactory.getInstance("X.509")
                  .generateCertificate(new ByteArrayInputStream(certificate));
      return CertUtils.createKeyStore(
          new ByteArrayInputStream(certificate),
          new ByteArrayInputStream(key),
          own.getPublicKey().getAlgorithm(),
          NO_PASSPHRASE,
          null,
          NO_PASSPHRASE);
    } catch (GeneralSecurityException | RuntimeException e) {
      throw new IOException(
          "%s must contain a certificate in %s and its private key in %s, both in PEM format (%s)"
              .formatted(directory, CERTIFICATE, KEY, e.getMessage()),
          e);
    }
  }

  /** The context of connections, which is the same as long as the process runs. */
  SSLContext context() {
    return context;
  }

  /** Provides the content of the files at the moment of a handshake. */
  private static final class Current extends KeyStore.Builder {
    private final FileContent<KeyStore> content;

    Current(FileContent<KeyStore> content) {
      this.content = content;
    }

    @Override
    public KeyStore getKeyStore() {
      return content.get();
    }

    @Override
    public KeyStore.ProtectionParameter getProtectionParameter(String alias) {
      return new KeyStore.PasswordProtection(NO_PASSPHRASE);
    }
  }
}
