package io.nodepool.kubernetes.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.NodePool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WatchedObjectTest {
  private static WatchEvent read(String event) {
    try (KubernetesClient client =
        Clients.forWatches(
            new ConfigBuilder()
                .withAutoConfigure(false)
                .withMasterUrl("http://127.0.0.1:1")
                .build(),
            new RequestMeter(new SimpleMeterRegistry()))) {
      return client
          .getKubernetesSerialization()
          .unmarshal(event.replace('\'', '"'), WatchEvent.class);
    }
  }

  private static WatchEvent readAsByDefault(String event) {
    return new KubernetesSerialization(new ObjectMapper(), true)
        .unmarshal(event.replace('\'', '"'), WatchEvent.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'type':'ADDED','object':{'kind':'Node','apiVersion':'v1','metadata':{'name':'n','labels':{'a':'b'}},'spec':{'taints':[{'key':'k','effect':'NoSchedule'}]},'status':{'conditions':[{'type':'Ready','status':'True'}]}}}",
        "{'object':{'kind':'Pod','apiVersion':'v1','metadata':{'name':'p'},'spec':{'later':1}},'type':'DELETED'}",
        "{'type':'BOOKMARK','object':{'kind':'Node','apiVersion':'v1','metadata':{'resourceVersion':'7'},'spec':{},'status':{}}}",
        "{'type':'ADDED','object':{'apiVersion':'v1','metadata':{'name':'n'},'kind':'Node'}}",
        "{'type':'ADDED','object':{'metadata':{'name':'n'},'apiVersion':'v1','kind':'Node'}}",
        "{'type':'ADDED','object':{'kind':'ConfigMap','apiVersion':'v1','data':{'a':'b'}}}",
        "{'type':'ERROR','object':{'kind':'Status','apiVersion':'v1','status':'Failure','reason':'Expired','code':410}}",
      })
  void anObjectIsWhatTheClientReadsByDefault(String event) {
    assertThat(read(event)).isEqualTo(readAsByDefault(event));
    assertThat(read(event).getObject()).isNotNull();
  }

  @Test
  void eachKindIsReadAsItsType() {
    assertThat(read("{'object':{'kind':'Node','apiVersion':'v1'}}").getObject())
        .isInstanceOf(Node.class);
    assertThat(read("{'object':{'kind':'Pod','apiVersion':'v1'}}").getObject())
        .isInstanceOf(Pod.class);
    assertThat(read("{'object':{'kind':'Status','apiVersion':'v1'}}").getObject())
        .isInstanceOf(Status.class);
    assertThat(
            read("{'object':{'apiVersion':'compute.coreweave.com/v1alpha1','kind':'NodePool'}}")
                .getObject())
        .isInstanceOf(NodePool.class);
    HostResource host =
        (HostResource)
            read("{'object':{'apiVersion':'fleet.nodepool.io/v1alpha1','kind':'Host','spec':{'tenancy':3}}}")
                .getObject();
    assertThat(host.getSpec().tenancy).isEqualTo(3);
  }

  @Test
  void whatFollowsTheObjectIsRead() {
    WatchEvent event = read("{'object':{'kind':'Node','apiVersion':'v1'},'type':'MODIFIED'}");

    assertThat(event.getType()).isEqualTo("MODIFIED");
    assertThat(read("{'object':null,'type':'ADDED'}").getType()).isEqualTo("ADDED");
  }
}
