package io.nodepool.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.nodepool.cli.command.CommandEnvironment;
import io.nodepool.cli.command.ExitCodes;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * All errors in a user's input that are found without a cluster: one line with the error, its place
 * and the correction; exit code 2; and nothing was started.
 */
class BadInputTest {
  /**
   * A row for each error: variables of the environment, the command line, and the message. {@code
   * {name}} is a file of {@link #FILES}, or one that does not exist.
   */
  private static final String TABLE =
      """
      # All commands
                                                   | Missing command; see nodepool --help.
      bogus                                        | unknown command "bogus"
      dmeo spot                                    | unknown command "dmeo"; did you mean demo?
      dev --bogus                                  | unknown option "--bogus"
      dev --sped 10                                | unknown option "--sped"; did you mean --speed?
      dev bogus                                    | unexpected argument "bogus"
      crds bogus                                   | unexpected argument "bogus"
      dev --speed 1 --speed 2                      | option '--speed' (N) should be specified only once
      dev --speed                                  | Missing required parameter for option '--speed' (N)

      # dev: manifests and the data centre
      dev -f                                       | Missing required parameter for option '--filename' (FILE)
      dev -f {missing}                             | {missing} does not exist.
      dev --filename {folder}                      | {folder} is a directory; name a file.
      dev -f {binary}                              | {binary} is not UTF-8 text.
      dev -f {unreadable}                          | {unreadable} cannot be read: Input/output error.
      dev -f {broken}                              | {broken} is not valid YAML: line 2: mapping values are not allowed here
      dev -f {empty}                               | {empty} contains no object.
      dev -f {pod} --exit-at-target                | --exit-at-target needs a NodePool: add -f FILE.
      dev -f {untyped}                             | {untyped}: an object has no apiVersion or no kind.
      dev -f {nameless}                            | {nameless}: a NodePool has no metadata.name.
      dev -f {labels}                              | {labels}: the NodePool cannot be read: metadata.labels must be an object with fields.
      dev --data-centre {missing}                  | {missing} does not exist.
      dev --data-centre {pool}                     | {pool}: expected a SimulatedFleet of fleet.nodepool.io/v1alpha1, found NodePool of compute.coreweave.com/v1alpha1.
      dev --data-centre {hosts}                    | {hosts}: the SimulatedFleet cannot be read: spec.racks[0].hosts must be a whole number.
      dev --data-centre {racks}                    | {racks}: the SimulatedFleet cannot be read: spec.racks must be a list.
      dev --data-centre {type}                     | {type}: spec.racks: rack r: there is no instance type "turin"; did you mean turin-gp?

      # dev: numbers and flags
      dev --exit-at-target                         | --exit-at-target needs a NodePool: add -f FILE.
      dev --exit-at-target=maybe                   | Invalid value for option '--exit-at-target': 'maybe' is not a boolean
      dev --timeout 5                              | --timeout needs --exit-at-target.
      dev --timeout x                              | Invalid value for option '--timeout': 'x' is not a whole number up to 2147483647
      dev --timeout 99999999999                    | Invalid value for option '--timeout': '99999999999' is not a whole number up to 2147483647
      dev -f {pool} --exit-at-target --timeout 0   | --timeout must be at least 1 second.
      dev --speed 0                                | --speed must be a whole number from 1 to 1000, not 0.
      dev --speed 1001                             | --speed must be a whole number from 1 to 1000, not 1001.
      dev --speed x                                | Invalid value for option '--speed': 'x' is not a whole number up to 2147483647
      dev --metrics-port 99999                     | Invalid value for option '--metrics-port': "99999" is not a port from 0 to 65535
      dev --metrics-port http                      | Invalid value for option '--metrics-port': "http" is not a port from 0 to 65535
      dev --verbose=maybe                          | Invalid value for option '--verbose': 'maybe' is not a boolean

      # dev: its own control plane
      dev --binaries {missing}                     | {missing} (given with --binaries) is not a directory: it must hold etcd, kube-apiserver, kube-controller-manager and kube-scheduler as executable files.
      dev --binaries {pool}                        | {pool} (given with --binaries) is not a directory: it must hold etcd, kube-apiserver, kube-controller-manager and kube-scheduler as executable files.
      dev --binaries {folder}                      | The directory {folder} (given with --binaries) lacks etcd, kube-apiserver, kube-controller-manager and kube-scheduler: it must hold etcd, kube-apiserver, kube-controller-manager and kube-scheduler as executable files.
      KUBEBUILDER_ASSETS={missing} dev             | {missing} (given in KUBEBUILDER_ASSETS) is not a directory: it must hold etcd, kube-apiserver, kube-controller-manager and kube-scheduler as executable files.
      dev --binary-mirror mirror                   | --binary-mirror is not the URL of a mirror: "mirror"; example: https://mirror.example.com.
      dev --binary-mirror ftp://mirror             | --binary-mirror is not the URL of a mirror: "ftp://mirror"; example: https://mirror.example.com.
      dev --binary-mirror http://m                 | --binary-mirror is http://m, without TLS: others could replace the programs on the way. Use https, or add --insecure-mirror.
      NODEPOOL_BINARY_MIRROR=http://m dev          | NODEPOOL_BINARY_MIRROR is http://m, without TLS: others could replace the programs on the way. Use https, or add --insecure-mirror.
      NODEPOOL_BINARY_MIRROR=/x dev                | NODEPOOL_BINARY_MIRROR is not the URL of a mirror: "/x"; example: https://mirror.example.com.
      HTTPS_PROXY=socks5://p:1 dev                 | HTTPS_PROXY is not the URL of an HTTP proxy: "socks5://p:1"; example: http://proxy.example.com:3128.
      http_proxy=:: dev --binary-mirror http://m --insecure-mirror | http_proxy is not the URL of an HTTP proxy: "::"; example: http://proxy.example.com:3128.
      XDG_CACHE_HOME={pool} dev                    | {pool} is not a directory; the control plane is cached in it. Set XDG_CACHE_HOME to another directory.
      dev --offline=maybe                          | Invalid value for option '--offline': 'maybe' is not a boolean
      dev --insecure-mirror=maybe                          | Invalid value for option '--insecure-mirror': 'maybe' is not a boolean
      dev --write-kubeconfig {pool}                | --write-kubeconfig: {pool} exists; it is not overwritten.
      dev --write-kubeconfig {folder}              | --write-kubeconfig: {folder} exists; it is not overwritten.
      dev --write-kubeconfig {missing}/config      | --write-kubeconfig: {missing}/config cannot be created: directory {missing} does not exist.
      dev --context a --binaries b                 | --write-kubeconfig, --binaries, --binary-mirror, --insecure-mirror and --offline are for the local cluster, not for an existing one.
      dev --kubeconfig a --offline                 | --write-kubeconfig, --binaries, --binary-mirror, --insecure-mirror and --offline are for the local cluster, not for an existing one.

      # dev: a cluster that exists
      dev --context typo                           | No kubeconfig found: set --kubeconfig FILE or KUBECONFIG.
      dev --kubeconfig {missing}                   | {missing} does not exist.
      dev --kubeconfig {clusters} --context typo   | --kubeconfig ({clusters}): context "typo" does not exist; existing contexts: good, no-cluster, no-server, no-user, no-file, no-program, bad-data.
      KUBECONFIG={missing} dev --context a         | KUBECONFIG names no existing file: {missing}; correct it, or set --kubeconfig FILE.

      # demo
      demo                                         | Missing required parameter: 'spot|repair|rollout|rack|shrink'
      demo bogus                                   | there is no demo "bogus"; there are spot, repair, rollout, rack, shrink
      demo spot --timeout 0                        | --timeout must be at least 1 second.
      demo spot --pause=maybe                      | Invalid value for option '--pause': 'maybe' is not a boolean
      demo spot --verbose=maybe                    | Invalid value for option '--verbose': 'maybe' is not a boolean
      demo spot --offline=maybe                    | Invalid value for option '--offline': 'maybe' is not a boolean
      demo spot --insecure-mirror=maybe            | Invalid value for option '--insecure-mirror': 'maybe' is not a boolean
      demo spot --binary-mirror mirror             | --binary-mirror is not the URL of a mirror: "mirror"; example: https://mirror.example.com.
      demo spot --binaries {missing}               | {missing} (given with --binaries) is not a directory: it must hold etcd, kube-apiserver, kube-controller-manager and kube-scheduler as executable files.

      # run
      run                                          | No kubeconfig found: set --kubeconfig FILE or KUBECONFIG.
      HOME={folder} run                            | No kubeconfig found: set --kubeconfig FILE or KUBECONFIG.
      KUBERNETES_SERVICE_HOST=1 run --context a    | No kubeconfig found: set --kubeconfig FILE or KUBECONFIG.
      KUBECONFIG={missing} run                     | KUBECONFIG names no existing file: {missing}; correct it, or set --kubeconfig FILE.
      KUBECONFIG={missing}:{missing} run           | KUBECONFIG names no existing file: {missing}:{missing}; correct it, or set --kubeconfig FILE.
      KUBECONFIG={folder} run                      | {folder} is a directory; name a file.
      KUBECONFIG={missing}:{broken} run            | {broken} is not valid YAML: line 2: mapping values are not allowed here
      KUBECONFIG={clusters}:{empty} run            | KUBECONFIG ({clusters}:{empty}): {empty} is not a kubeconfig.
      KUBECONFIG={clusters} run --context typo     | KUBECONFIG ({clusters}): context "typo" does not exist; existing contexts: good, no-cluster, no-server, no-user, no-file, no-program, bad-data.
      run --kubeconfig {missing}                   | {missing} does not exist.
      run --kubeconfig {folder}                    | {folder} is a directory; name a file.
      run --kubeconfig {binary}                    | {binary} is not UTF-8 text.
      run --kubeconfig {broken}                    | {broken} is not valid YAML: line 2: mapping values are not allowed here
      run --kubeconfig {text}                      | --kubeconfig ({text}): {text} is not a kubeconfig.
      run --kubeconfig {pod}                       | --kubeconfig ({pod}): current-context is not set; set --context to one of: none.
      run --kubeconfig {clusters}                  | --kubeconfig ({clusters}): current-context is not set; set --context to one of: good, no-cluster, no-server, no-user, no-file, no-program, bad-data.
      run --kubeconfig {clusters} --context no-cluster | --kubeconfig ({clusters}): context no-cluster: cluster "nowhere" does not exist.
      run --kubeconfig {clusters} --context no-server  | --kubeconfig ({clusters}): cluster s: "ftp://a b" is not a valid server; example: https://10.0.0.1:6443.
      run --kubeconfig {clusters} --context no-program | --kubeconfig ({clusters}): context no-program: exec: program get-token does not exist.
      run --kubeconfig {clusters} --context no-user    | --kubeconfig ({clusters}): context no-user: user "nobody" does not exist.
      run --kubeconfig {clusters} --context no-file    | --kubeconfig ({clusters}): context no-file: client-certificate: file nothing.crt does not exist.
      run --kubeconfig {clusters} --context bad-data   | --kubeconfig ({clusters}): the credentials cannot be used: No certificate data found.
      run --context typo                           | No kubeconfig found: set --kubeconfig FILE or KUBECONFIG.
      run --namespace Mine                         | Invalid value for option '--namespace': "Mine" is not a valid Namespace name: up to 63 characters of a-z, 0-9, and - inside
      run --control-plane-namespaces a,b_c         | Invalid value for option '--control-plane-namespaces' (NAME): "b_c" is not a valid Namespace name: up to 63 characters of a-z, 0-9, and - inside
      run --metrics-address no_such/address        | Invalid value for option '--metrics-address': "no_such/address" is not an address; examples: 127.0.0.1, or 0.0.0.0 for all
      run --metrics-address=                       | Invalid value for option '--metrics-address': "" is not an address; examples: 127.0.0.1, or 0.0.0.0 for all
      run --metrics-port 99999                     | Invalid value for option '--metrics-port': "99999" is not a port from 0 to 65535
      run --metrics-port -1                        | Invalid value for option '--metrics-port': "-1" is not a port from 0 to 65535
      run --alerts-port 99999                      | Invalid value for option '--alerts-port': "99999" is not a port from 0 to 65535
      run --alerts-address no_such/address         | Invalid value for option '--alerts-address': "no_such/address" is not an address; examples: 127.0.0.1, or 0.0.0.0 for all
      run --alerts-token-file {token}              | --alerts-token-file, --alerts-tls-directory and --alerts-plaintext need --alerts-port.
      run --alerts-plaintext                       | --alerts-token-file, --alerts-tls-directory and --alerts-plaintext need --alerts-port.
      run --alerts-plaintext=maybe                 | Invalid value for option '--alerts-plaintext': 'maybe' is not a boolean
      run --alerts-port 0                          | --alerts-port needs --alerts-token-file: alerts decide which Nodes are taken out of service.
      run --alerts-port 0 --alerts-token-file {token} --alerts-address 0.0.0.0 | --alerts-address: other machines can reach 0.0.0.0; add --alerts-tls-directory, or --alerts-plaintext if the network encrypts.
      run --alerts-port 0 --alerts-token-file {missing} | --alerts-token-file: {missing} does not exist.
      run --alerts-port 0 --alerts-token-file {text}    | --alerts-token-file: {text} must hold a token of 16 to 4096 visible ASCII characters, without blanks.
      run --alerts-port 0 --alerts-token-file {token} --alerts-tls-directory {folder} | --alerts-tls-directory: {folder}/tls.crt does not exist.
      run --allow-reserved-key team                | --allow-reserved-key: "team" cannot be allowed: every NodePool may set it; give keys below coreweave.cloud or coreweave.com.
      dev --allow-reserved-key x/y                 | --allow-reserved-key: "x/y" cannot be allowed: every NodePool may set it; give keys below coreweave.cloud or coreweave.com.
      crds --allow-reserved-key a.coreweave.com/b,node.coreweave.cloud/state | --allow-reserved-key: "node.coreweave.cloud/state" cannot be allowed: it has a meaning that the operator, the fleet or a client writes.
      run --reference-generation newest            | Invalid value for option '--reference-generation': expected one of [CURRENT, OLDEST] (case-insensitive) but was 'newest'
      run --missing-quota maybe                    | Invalid value for option '--missing-quota': expected one of [BLOCKED, UNLIMITED] (case-insensitive) but was 'maybe'
      run --delivery-deadline 0s                   | Invalid value for option '--delivery-deadline': "0s" is not a duration above zero; examples: 90s, 5m, 1h30m
      run --delivery-deadline 9999999999h          | Invalid value for option '--delivery-deadline': "9999999999h" is not a duration above zero; examples: 90s, 5m, 1h30m
      run --registration-deadline x                | Invalid value for option '--registration-deadline': "x" is not a duration above zero; examples: 90s, 5m, 1h30m
      run --settle-time 5                          | Invalid value for option '--settle-time': "5" is not a duration above zero; examples: 90s, 5m, 1h30m
      run --drain-deadline -5m                     | Invalid value for option '--drain-deadline': "-5m" is not a duration above zero; examples: 90s, 5m, 1h30m
      run --verification-deadline -5m              | Invalid value for option '--verification-deadline': "-5m" is not a duration above zero; examples: 90s, 5m, 1h30m
      run --verification-namespace b_c            | Invalid value for option '--verification-namespace': "b_c" is not a valid Namespace name: up to 63 characters of a-z, 0-9, and - inside
      run --metrics-tls-port 99999                 | Invalid value for option '--metrics-tls-port': "99999" is not a port from 0 to 65535
      run --metrics-tls-directory nowhere          | --metrics-tls-directory: nowhere/tls.crt does not exist.
      run --preserve-time 3d                       | Invalid value for option '--preserve-time': "3d" is not a duration above zero; examples: 90s, 5m, 1h30m
      run --repair-hold 0s                         | Invalid value for option '--repair-hold': "0s" is not a duration above zero; examples: 90s, 5m, 1h30m
      run --preserved-nodes -1                     | --preserved-nodes is -1; it is a number from 0 to 100
      run --preserved-nodes 101                    | --preserved-nodes is 101; it is a number from 0 to 100
      run --preemption-warning 2                   | Invalid value for option '--preemption-warning': "2" is not a duration above zero; examples: 90s, 5m, 1h30m
      run --preemption-window -7m                  | Invalid value for option '--preemption-window': "-7m" is not a duration above zero; examples: 90s, 5m, 1h30m
      run --preemption-force x                     | Invalid value for option '--preemption-force': "x" is not a duration above zero; examples: 90s, 5m, 1h30m
      run --preemption-warning 7m                  | --preemption-warning and --preemption-force do not fit into --preemption-window: 7m and 30s are longer than 7m

      # conformance and fleet ironic
      conformance --kubeconfig {missing}           | {missing} does not exist.
      conformance --context typo                   | No kubeconfig found: set --kubeconfig FILE or KUBECONFIG.
      conformance --namespace a.b                  | Invalid value for option '--namespace': "a.b" is not a valid Namespace name: up to 63 characters of a-z, 0-9, and - inside
      conformance --hosts 0                        | --hosts must be at least 1, not 0.
      conformance --cycles -1                      | --cycles must be at least 0, not -1.
      conformance --deadline x                     | Invalid value for option '--deadline': "x" is not a duration above zero; examples: 90s, 5m, 1h30m
      conformance --rest x                         | Invalid value for option '--rest': "x" is not a duration above zero; examples: 90s, 5m, 1h30m
      conformance --junit {missing}/x.xml          | No kubeconfig found: set --kubeconfig FILE or KUBECONFIG.
      conformance --output yaml                    | Invalid value for option '--output': expected one of [TEXT, JSON, JUNIT] (case-insensitive) but was 'yaml'
      conformance --restart-command false          | No kubeconfig found: set --kubeconfig FILE or KUBECONFIG.
      fleet ironic --ironic x --offer {missing}    | --ironic is an address that begins with https:// or http://, not x.
      fleet ironic                                 | Missing required options: '--ironic=URL', '--offer=FILE'
      fleet ironic --kubeconfig {missing} --ironic http://127.0.0.1:1 --offer {missing} | {missing} does not exist.
      fleet ironic --context typo --ironic http://127.0.0.1:1 --offer {missing} | No kubeconfig found: set --kubeconfig FILE or KUBECONFIG.
      fleet ironic --namespace a.b --ironic http://127.0.0.1:1 --offer {missing} | Invalid value for option '--namespace': "a.b" is not a valid Namespace name: up to 63 characters of a-z, 0-9, and - inside
      fleet ironic --join-namespace b --ironic http://127.0.0.1:1 --offer {missing} | No kubeconfig found: set --kubeconfig FILE or KUBECONFIG.
      fleet ironic --join-server x --ironic http://127.0.0.1:1 --offer {missing} | No kubeconfig found: set --kubeconfig FILE or KUBECONFIG.
      fleet ironic --keystone x --ironic http://127.0.0.1:1 --offer {missing} | --keystone is an address that begins with https:// or http://, not x.
      fleet ironic --ironic-authority {missing} --ironic http://127.0.0.1:1 --offer {missing} | No kubeconfig found: set --kubeconfig FILE or KUBECONFIG.
      fleet ironic --metrics-address no_such/address --ironic http://127.0.0.1:1 --offer {missing} | Invalid value for option '--metrics-address': "no_such/address" is not an address; examples: 127.0.0.1, or 0.0.0.0 for all
      fleet ironic --metrics-port 99999 --ironic http://127.0.0.1:1 --offer {missing} | Invalid value for option '--metrics-port': "99999" is not a port from 0 to 65535

      # drill
      drill {missing}                              | {missing} does not exist.
      drill --seed x {missing}                     | Invalid value for option '--seed': 'x' is not a long
      drill --seeds 0 {missing}                    | --seeds must be at least 1, not 0.
      drill --others 0 {missing}                   | --others must be at least 1, not 0.
      drill --trace --seeds 2 {missing}            | --trace prints a single run; leave --seeds out.
      drill --shrink --cause {missing}             | {missing} does not exist.
      drill                                        | Missing required parameter: 'FILE'
      drill new                                    | No kubeconfig found: set --kubeconfig FILE or KUBECONFIG.
      drill new --from {missing}                   | {missing} does not exist.
      drill new --from {pool}                      | {pool}: NodePool a is not as an API server has it
      drill new --kubeconfig {missing}             | {missing} does not exist.
      drill new --context typo                     | No kubeconfig found: set --kubeconfig FILE or KUBECONFIG.
      drill new --namespace A                      | Invalid value for option '--namespace': "A" is not a valid Namespace name: up to 63 characters of a-z, 0-9, and - inside
      drill --junit {missing}/x.xml {missing}      | --junit: the folder {missing} does not exist.

      # simulate
      simulate --kubeconfig {missing}              | {missing} does not exist.
      simulate --context typo                      | No kubeconfig found: set --kubeconfig FILE or KUBECONFIG.
      simulate --namespace a.b                     | Invalid value for option '--namespace': "a.b" is not a valid Namespace name: up to 63 characters of a-z, 0-9, and - inside
      simulate --metrics-address no_such/address   | Invalid value for option '--metrics-address': "no_such/address" is not an address; examples: 127.0.0.1, or 0.0.0.0 for all
      simulate --metrics-port 99999                | Invalid value for option '--metrics-port': "99999" is not a port from 0 to 65535
      simulate --data-centre {missing}             | {missing} does not exist.
      simulate --fleet a --data-centre b           | --data-centre and --fleet exclude each other: the manifest names the SimulatedFleet.
      simulate --fleet My_Fleet                    | Invalid value for option '--fleet': "My_Fleet" is not a valid object name: up to 253 characters of a-z, 0-9, and - and . inside
      simulate --speed 0                           | --speed must be a whole number from 1 to 1000, not 0.
      simulate --leases=maybe                      | Invalid value for option '--leases': 'maybe' is not a boolean

      # bench
      bench                                        | Missing measurement; see nodepool bench --help.
      bench sideways                               | unknown command "sideways"
      """;

  /** Errors in the options that all measurements share. */
  private static final String BENCH_TABLE =
      """
      bench %s                                     | Missing required option
      bench %s --nodes 0                           | --nodes must be a whole number from 1 to 100000, not 0.
      bench %s --nodes 100001                      | --nodes must be a whole number from 1 to 100000, not 100001.
      bench %s --nodes x                           | Invalid value for option '--nodes': 'x' is not a whole number up to 2147483647
      bench %s --nodes 20 --timeout 0               | --timeout must be at least 1 second.
      bench %s --nodes 20 --json=maybe              | Invalid value for option '--json': 'maybe' is not a boolean
      bench %s --nodes 20 --verbose=maybe           | Invalid value for option '--verbose': 'maybe' is not a boolean
      bench %s --nodes 20 --offline=maybe           | Invalid value for option '--offline': 'maybe' is not a boolean
      bench %s --nodes 20 --insecure-mirror=maybe           | Invalid value for option '--insecure-mirror': 'maybe' is not a boolean
      bench %s --nodes 20 --binary-mirror x         | --binary-mirror is not the URL of a mirror: "x"; example: https://mirror.example.com.
      bench %s --nodes 20 --binaries {missing}      | {missing} (given with --binaries) is not a directory: it must hold etcd, kube-apiserver, kube-controller-manager and kube-scheduler as executable files.
      KUBEBUILDER_ASSETS={missing} bench %s --nodes 20 | {missing} (given in KUBEBUILDER_ASSETS) is not a directory: it must hold etcd, kube-apiserver, kube-controller-manager and kube-scheduler as executable files.
      """;

  private static final String BENCHES =
      """
      bench grow --nodes 1 --rest 0                | --rest must be at least 1 second.
      bench repair --nodes 19                      | --nodes must be at least 20, not 19.
      bench rollout --nodes 5 --max-unavailable 0  | --max-unavailable must be from 1 to --nodes, not 0.
      bench rollout --nodes 5 --max-unavailable 6  | --max-unavailable must be from 1 to --nodes, not 6.
      bench shrink --nodes 5 --to 5                | --to must be at least 0 and less than --nodes, not 5.
      bench shrink --nodes 5 --to -1               | --to must be at least 0 and less than --nodes, not -1.
      bench shrink --nodes 5 --to 1 --busy 1.5     | --busy must be from 0 to 1, not 1.5.
      bench shrink --nodes 5 --to 1 --busy NaN     | --busy must be from 0 to 1, not NaN.
      bench signals --nodes 5 --seconds 0          | --seconds must be from 1 to 72, not 0.
      bench signals --nodes 5 --seconds 73         | --seconds must be from 1 to 72, not 73.
      bench signals --nodes 5 --seconds x          | Invalid value for option '--seconds': 'x' is not a whole number up to 2147483647
      bench standing --nodes 5                     | Missing required option: '--pods=M'
      bench standing --nodes 5 --pods -1           | --pods must be from 0 to 440 on 5 Nodes, of which one in five stays idle, not -1.
      bench standing --nodes 6 --pods 441          | --pods must be from 0 to 440 on 6 Nodes, of which one in five stays idle, not 441.
      bench standing --nodes 5 --pods x            | Invalid value for option '--pods': 'x' is not a whole number up to 2147483647
      """;

  private static final String POOL = "apiVersion: compute.coreweave.com/v1alpha1\nkind: NodePool\n";
  private static final String FLEET =
      "apiVersion: fleet.nodepool.io/v1alpha1\nkind: SimulatedFleet\nmetadata: {name: a}\nspec:\n  zone: A\n";

  private static final Map<String, String> FILES =
      Map.ofEntries(
          Map.entry("broken", "a: 1\nb: c: d\n"),
          Map.entry("empty", "# nothing\n---\n"),
          Map.entry("text", "just a text\n"),
          Map.entry("token", "a-token-of-this-test\n"),
          Map.entry("pod", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"),
          Map.entry(
              "pool",
              POOL + "metadata: {name: a}\nspec: {instanceType: turin-gp, targetNodes: 1}\n"),
          Map.entry("untyped", "a: 1\n"),
          Map.entry("nameless", POOL + "metadata: {}\n"),
          Map.entry("labels", POOL + "metadata: {name: a, labels: 5}\n"),
          Map.entry("hosts", FLEET + "  racks: [{name: r, instanceType: turin-gp, hosts: many}]\n"),
          Map.entry("racks", FLEET + "  racks: 5\n"),
          Map.entry("type", FLEET + "  racks: [{name: r, instanceType: turin, hosts: 4}]\n"),
          Map.entry(
              "clusters",
              """
              apiVersion: v1
              kind: Config
              clusters:
              - {name: c, cluster: {server: 'https://127.0.0.1:1'}}
              - {name: s, cluster: {server: 'ftp://a b'}}
              users:
              - {name: u, user: {token: t}}
              - {name: f, user: {client-certificate: nothing.crt, client-key: nothing.key}}
              - {name: g, user: {client-certificate-data: Z2FyYmFnZQ==, client-key-data: Z2FyYmFnZQ==}}
              - {name: e, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: get-token}}}
              contexts:
              - {name: good, context: {cluster: c, user: u}}
              - {name: no-cluster, context: {cluster: nowhere, user: u}}
              - {name: no-server, context: {cluster: s, user: u}}
              - {name: no-user, context: {cluster: c, user: nobody}}
              - {name: no-file, context: {cluster: c, user: f}}
              - {name: no-program, context: {cluster: c, user: e}}
              - {name: bad-data, context: {cluster: c, user: g}}
              """));

  /**
   * One error.
   *
   * @param words variables of the environment, and the words of the command line
   */
  record Row(List<String> words, String message) {
    Map<String, String> environment() {
      Map<String, String> environment = new HashMap<>();
      words.stream()
          .takeWhile(Row::isVariable)
          .map(word -> word.split("=", 2))
          .forEach(parts -> environment.put(parts[0], parts[1]));
      return environment;
    }

    List<String> arguments() {
      return words.stream().dropWhile(Row::isVariable).toList();
    }

    private static boolean isVariable(String word) {
      return word.matches("[A-Za-z_]+=.*");
    }

    @Override
    public String toString() {
      return String.join(" ", words);
    }
  }

  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void aStackTraceDoesNotControlTheTerminal() {
    int code =
        Main.run(
            new CommandEnvironment(Map.of(), folder),
            new PrintWriter(out, true),
            new PrintWriter(err, true),
            "dev",
            "--verbose",
            "-f",
            folder.resolve("a\u001b[31m").toString());

    assertThat(code).isNotZero();
    assertThat(err.toString())
        .contains("?[31m does not exist.", "    at io.nodepool.cli.")
        .doesNotContain("\u001b");
  }

  @ParameterizedTest
  @MethodSource("rows")
  void anErrorIsReportedInOneLine(Row row) throws Exception {
    Path home = Files.createDirectory(folder.resolve("home"));
    List<String> arguments = new ArrayList<>();
    for (String word : row.arguments()) {
      arguments.add(filled(word));
    }
    Map<String, String> environment = new HashMap<>();
    for (Map.Entry<String, String> variable : row.environment().entrySet()) {
      environment.put(variable.getKey(), filled(variable.getValue()));
    }

    // The limit ends a command that accepts a wrong input and would run for ever.
    int code =
        assertTimeoutPreemptively(
            Duration.ofMinutes(1),
            () ->
                Main.run(
                    new CommandEnvironment(environment, home),
                    new PrintWriter(out, true),
                    new PrintWriter(err, true),
                    arguments.toArray(new String[0])));

    assertThat(err.toString().lines())
        .singleElement()
        .asString()
        .startsWith("nodepool: " + filled(row.message()));
    assertThat(code).isEqualTo(ExitCodes.USAGE);
    assertThat(out.toString()).isEmpty();
    assertThat(home).isEmptyDirectory();
  }

  @Test
  void everyOptionOfEveryCommandHasARow() {
    CommandLine all = Main.commandLine(new CommandEnvironment(Map.of(), folder));
    Set<String> without = new TreeSet<>();
    addWithoutRow("", all, without);

    assertThat(without).as("options without a row").isEmpty();
  }

  private static void addWithoutRow(String path, CommandLine command, Set<String> without) {
    for (OptionSpec option : command.getCommandSpec().options()) {
      boolean isTested =
          option.usageHelp()
              || option.versionHelp()
              || rows().anyMatch(row -> isWrongIn(row, path, option));
      if (!isTested) {
        without.add(path + option.longestName());
      }
    }
    command
        .getSubcommands()
        .forEach((name, subcommand) -> addWithoutRow(path + name + " ", subcommand, without));
  }

  /** Whether a row uses an option of a command, and its message names the option or its file. */
  private static boolean isWrongIn(Row row, String path, OptionSpec option) {
    boolean isUsed =
        row.arguments().stream()
            .map(word -> word.split("=", 2)[0])
            .anyMatch(List.of(option.names())::contains);
    return isUsed
        && String.join(" ", row.arguments()).startsWith(path)
        && Stream.of(option.longestName(), "{", "No kubeconfig found")
            .anyMatch(row.message()::contains);
  }

  private static Stream<Row> rows() {
    String benches =
        Stream.of(
                "grow",
                "shrink --to 0",
                "rollout --max-unavailable 1",
                "takeover",
                "standing --pods 0",
                "signals",
                "repair")
            .map(bench -> BENCH_TABLE.replace("%s", bench))
            .reduce("", String::concat);
    return (TABLE + benches + BENCHES)
        .lines()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .map(line -> line.split("\\|", 2))
        .map(cells ->
            new Row(
                Stream.of(cells[0].strip().split(" +")).filter(word -> !word.isEmpty()).toList(),
                cells[1].strip()));
  }

  /** Creates the files and replaces their names. */
  private String filled(String text) throws Exception {
    String filled =
        text.replace("{missing}", folder.resolve("missing").toString())
            .replace("{unreadable}", "/proc/self/mem");
    if (filled.contains("{folder}")) {
      Files.createDirectories(folder.resolve("folder"));
      filled = filled.replace("{folder}", folder.resolve("folder").toString());
    }
    if (filled.contains("{binary}")) {
      Path file = Files.write(folder.resolve("binary"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});
      filled = filled.replace("{binary}", file.toString());
    }
    for (Map.Entry<String, String> file : FILES.entrySet()) {
      if (filled.contains("{" + file.getKey() + "}")) {
        Path path = Files.writeString(folder.resolve(file.getKey() + ".yaml"), file.getValue());
        filled = filled.replace("{" + file.getKey() + "}", path.toString());
      }
    }
    return filled;
  }
}
