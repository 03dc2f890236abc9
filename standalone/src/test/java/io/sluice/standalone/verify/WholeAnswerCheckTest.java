package io.sluice.standalone.verify;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.standalone.verify.pool.Finding;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class WholeAnswerCheckTest {
  @Test
  void theKeysOfAllLevelsAreComparedAndThoseOfListsAndTokenIdsStandTogether() throws Exception {
    assertThat(
            AnswerKeys.of(json("{'a':[{'b':1},{'c':{}}],'p':[null,{'17':{'rank':1}}],'n':null}")))
        .containsExactly("/a", "/a/*", "/a/*/b", "/a/*/c", "/p", "/p/*", "/p/*/*", "/p/*/*/rank");
  }

  @Test
  void whatThePoolAddsIsNotALoss() throws Exception {
    Finding finding = WholeAnswerCheck.finding(json("{'a':1,'b':null}"), json("{'a':2,'c':3}"));
    assertThat(finding).isEqualTo(Finding.kept("the pool's answer has all 1 keys of the engine's"));
  }

  @Test
  void whatThePoolLeavesOutIsABrokenPromise() throws Exception {
    Finding finding =
        WholeAnswerCheck.finding(
            json("{'usage':{'total':1,'details':{'cached':0}},'ids':[1]}"),
            json("{'usage':{'total':1},'ids':[]}"));
    assertThat(finding.isBroken()).isTrue();
    assertThat(finding.text()).endsWith("lacks /ids/*, /usage/details, /usage/details/cached");
  }

  private static JsonNode json(String text) throws Exception {
    return Json.tree(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }
}
