package io.nodepool.cli.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.Config;
import io.nodepool.cli.command.CommandEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A kubeconfig is read as the client library reads it. */
class KubeconfigFilesTest {
  @TempDir private Path folder;

  @BeforeEach
  void files() throws IOException {
    Files.writeString(folder.resolve("ca.crt"), "x");
    Files.writeString(folder.resolve("user.crt"), "x");
    Files.writeString(folder.resolve("user.key"), "-----BEGIN EC PRIVATE KEY-----\n");
    Path program =
        Files.writeString(
            folder.resolve("token"),
            """
            #!/bin/sh
            echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "from the program '"$WORD"'"}}'
            """);
    assertThat(program.toFile().setExecutable(true)).isTrue();
    Files.writeString(
        folder.resolve("config"),
        """
        apiVersion: v1
        kind: Config
        current-context: files
        clusters:
          - {name: a, cluster: {server: 'https://a:6443', certificate-authority: ca.crt, tls-server-name: other, proxy-url: 'http://proxy:3128'}}
          - {name: b, cluster: {server: 'https://b', insecure-skip-tls-verify: true}}
          - {name: c, cluster: {server: 'https://c', certificate-authority-data: eA==}}
        users:
          - {name: files, user: {client-certificate: user.crt, client-key: user.key}}
          - {name: data, user: {client-certificate-data: eA==, client-key-data: eA==}}
          - {name: token, user: {token: 123}}
          - {name: password, user: {username: jane, password: secret}}
          - {name: program, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./token, interactiveMode: Never, env: [{name: WORD, value: set}]}}}
          - {name: provider, user: {auth-provider: {name: gcp, config: {access-token: t}}}}
        contexts:
          - {name: files, context: {cluster: a, user: files, namespace: team}}
          - {name: data, context: {cluster: c, user: data}}
          - {name: token, context: {cluster: b, user: token}}
          - {name: password, context: {cluster: b, user: password}}
          - {name: program, context: {cluster: a, user: program}}
          - {name: provider, context: {cluster: a, user: provider}}
        """);
  }

  private static Config read(String files, Optional<String> context) {
    return KubeconfigFiles.find(
            Optional.empty(), new CommandEnvironment(Map.of("KUBECONFIG", files), Path.of("/")))
        .orElseThrow()
        .open(context, config -> config);
  }

  @ParameterizedTest
  @ValueSource(strings = {"files", "data", "token", "password", "program", "provider"})
  void eachPartIsRead(String context) {
    Path file = folder.resolve("config");
    Config config = read(file.toString(), Optional.of(context));

    assertThat(config)
        .usingRecursiveComparison()
        .ignoringFields("contexts")
        .isEqualTo(Config.fromKubeconfig(context, file.toFile()));
  }

  @Test
  void pathsAreRelativeToTheFileThatHasThem() throws IOException {
    Path other =
        Files.writeString(
            Files.createDirectory(folder.resolve("other")).resolve("config"),
            "{current-context: x, contexts: [{name: x, context: {cluster: a, user: files}}]}");

    assertThat(read(other + ":" + folder.resolve("config"), Optional.empty()))
        .returns(folder.resolve("ca.crt").toString(), Config::getCaCertFile)
        .returns(folder.resolve("user.key").toString(), Config::getClientKeyFile);
  }
}
