package io.nodepool.local.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnvironmentProxyTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          HTTPS_PROXY=http://p:3128                         | https://dl.k8s.io/x     | p:3128
          https_proxy=http://p:3128                         | https://dl.k8s.io/x     | p:3128
          HTTPS_PROXY=http://p:1 https_proxy=http://q:2     | https://dl.k8s.io/x     | q:2
          HTTPS_PROXY=p:3128                                | https://dl.k8s.io/x     | p:3128
          HTTPS_PROXY=http://p                              | https://dl.k8s.io/x     | p:80
          HTTPS_PROXY=http://me:secret@p:3128/              | https://dl.k8s.io/x     | p:3128
          HTTP_PROXY=http://p:3128                          | https://dl.k8s.io/x     | direct
          HTTP_PROXY=http://p:3128                          | http://mirror.example/x | p:3128
          ALL_PROXY=http://p:3128                           | https://dl.k8s.io/x     | p:3128
          HTTPS_PROXY=                                      | https://dl.k8s.io/x     | direct
          HTTPS_PROXY=http://p:1 NO_PROXY=k8s.io            | https://dl.k8s.io/x     | direct
          HTTPS_PROXY=http://p:1 NO_PROXY=a,.k8s.io         | https://dl.k8s.io/x     | direct
          HTTPS_PROXY=http://p:1 no_proxy=*.K8S.io          | https://dl.k8s.io/x     | direct
          HTTPS_PROXY=http://p:1 NO_PROXY=*                 | https://dl.k8s.io/x     | direct
          HTTPS_PROXY=http://p:1 NO_PROXY=8s.io             | https://dl.k8s.io/x     | p:1
          HTTPS_PROXY=http://p:1 NO_PROXY=                  | https://dl.k8s.io/x     | p:1
          HTTP_PROXY=http://p:1                             | http://127.0.0.1:80/x   | direct
          HTTP_PROXY=http://p:1                             | http://localhost/x      | direct
          """)
  void theEnvironmentSelectsTheProxy(String variables, String target, String proxy) {
    assertThat(named(variables, ProxySelector.of(null), target)).isEqualTo(proxy);
  }

  @Test
  void javasOwnPropertiesTakePrecedence() {
    ProxySelector java = ProxySelector.of(InetSocketAddress.createUnresolved("java", 1));

    assertThat(named("HTTPS_PROXY=http://p:3128", java, "https://dl.k8s.io/x")).isEqualTo("java:1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          HTTPS_PROXY=http://p:3128 | ''
          HTTPS_PROXY=p             | ''
          HTTPS_PROXY=socks5://p:1  | HTTPS_PROXY is not the URL of an HTTP proxy: "socks5://p:1"; example: http://proxy.example.com:3128.
          https_proxy=http://p:1 ALL_PROXY=socks5://p:1 | ''
          http_proxy=::::           | ''
          all_proxy=::::            | all_proxy is not the URL of an HTTP proxy: "::::"; example: http://proxy.example.com:3128.
          """)
  void anInvalidAddressIsAnError(String variables, String mistake) {
    assertThat(EnvironmentProxy.mistake(environment(variables), "https").orElse(""))
        .isEqualTo(mistake);
  }

  private static String named(String variables, ProxySelector java, String target) {
    Proxy proxy =
        new EnvironmentProxy(environment(variables), java).select(URI.create(target)).getFirst();
    return proxy.address() instanceof InetSocketAddress address
        ? address.getHostString() + ":" + address.getPort()
        : "direct";
  }

  private static Map<String, String> environment(String variables) {
    Map<String, String> environment = new HashMap<>();
    Arrays.stream(variables.split(" "))
        .map(each -> each.split("=", 2))
        .forEach(each -> environment.put(each[0], each[1]));
    return environment;
  }
}
