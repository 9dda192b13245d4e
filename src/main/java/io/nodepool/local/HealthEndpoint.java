package io.nodepool.local;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/**
 * The health endpoint of a starting program.
 *
 * @param url the program's address
 * @param certificate the file with the trusted certificates, which the program writes at its start
 * @param token the bearer token
 */
record HealthEndpoint(String url, Path certificate, String token) {

  private static final int TIMEOUT_MILLISECONDS = 2000;

  /**
   * Whether a GET of the path returns 200 now; false for every failure, since a starting program
   * can cause any of them.
   */
  boolean answers(String path) {
    try {
      HttpsURLConnection connection =
          (HttpsURLConnection) URI.create(url + path).toURL().openConnection();
      connection.setSSLSocketFactory(trusting());
      connection.setConnectTimeout(TIMEOUT_MILLISECONDS);
      connection.setReadTimeout(TIMEOUT_MILLISECONDS);
      connection.setRequestProperty("Authorization", "Bearer " + token);
      if (connection.getResponseCode() != HttpsURLConnection.HTTP_OK) {
        return false;
      }
      try (InputStream body = connection.getInputStream()) {
        body.readAllBytes();
      }
      return true;
    } catch (IOException | GeneralSecurityException e) {
      return false;
    }
  }

  private SSLSocketFactory trusting() throws IOException, GeneralSecurityException {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    try (InputStream pem = Files.newInputStream(certificate)) {
      int number = 0;
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
        trusted.setCertificateEntry("certificate-" + number++, one);
      }
    }
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context.getSocketFactory();
  }
}
