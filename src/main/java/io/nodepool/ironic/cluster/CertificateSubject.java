package io.nodepool.ironic.cluster;

import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import javax.security.auth.x500.X500Principal;

/** The subject of a certificate signing request (PKCS #10), for which the JDK has no reader. */
final class CertificateSubject {
  private static final int SEQUENCE = 0x30;
  private static final int INTEGER = 0x02;

  /** The first attribute; a request without attributes ends with these two bytes. */
  private static final int ATTRIBUTES = 0xa0;

  private final byte[] der;
  private int at;

  private CertificateSubject(byte[] der) {
    this.der = der;
  }

  /**
   * The subject of a request in PEM; empty if it cannot be read, or asks for anything but a
   * subject, such as other names.
   */
  static Optional<X500Principal> of(String pem) {
    try {
      String text = pem.replaceAll("-----[A-Z ]+-----|\\s", "");
      CertificateSubject reader = new CertificateSubject(Base64.getDecoder().decode(text));
      reader.enter(SEQUENCE);
      reader.enter(SEQUENCE);
      reader.skip(INTEGER);
      int begin = reader.at;
      reader.skip(SEQUENCE);
      byte[] name = Arrays.copyOfRange(reader.der, begin, reader.at);
      reader.skip(SEQUENCE);
      return reader.enter(ATTRIBUTES) == 0
          ? Optional.of(new X500Principal(name))
          : Optional.empty();
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      return Optional.empty();
    }
  }

  /** Goes into the next value, which must have this tag; returns its length. */
  private int enter(int tag) {
    if ((der[at++] & 0xff) != tag) {
      throw new IllegalArgumentException("another tag");
    }
    int length = der[at++] & 0xff;
    if (length < 0x80) {
      return length;
    }
    int bytes = length & 0x7f;
    if (bytes < 1 || bytes > 2) {
      throw new IllegalArgumentException("too long");
    }
    length = 0;
    for (int i = 0; i < bytes; i++) {
      length = length << 8 | (der[at++] & 0xff);
    }
    return length;
  }

  private void skip(int tag) {
    int length = enter(tag);
    at += length;
    if (at > der.length) {
      throw new IllegalArgumentException("too short");
    }
  }
}
