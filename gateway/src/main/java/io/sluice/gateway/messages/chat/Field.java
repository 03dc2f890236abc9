package io.sluice.gateway.messages.chat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.http.ApiException;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A value of a request.
 *
 * @param path where it is, such as {@code messages[2].content}; empty for the request itself
 */
record Field(JsonNode value, String path) {

  /** Returns a field of this object; one without a value if it is absent. */
  Field at(String name) {
    return new Field(value.path(name), path.isEmpty() ? name : path + "." + name);
  }

  /** Returns whether the field has a value other than {@code null}. */
  boolean isSet() {
    return !value.isMissingNode() && !value.isNull();
  }

  boolean isText() {
    return value.isTextual();
  }

  /** Returns the text, or fails. */
  String text() {
    return require(value.isTextual(), "must be a text").textValue();
  }

  /** Returns the object, or fails. */
  ObjectNode object() {
    return (ObjectNode) require(value.isObject(), "must be an object");
  }

  /** Returns the number, or fails. */
  JsonNode number() {
    return require(value.isNumber(), "must be a number");
  }

  /** Returns the whole number, or fails if it is not one or less than this. */
  JsonNode wholeNumber(int least) {
    return require(
        value.isIntegralNumber() && value.canConvertToInt() && value.intValue() >= least,
        "must be a whole number of at least " + least);
  }

  /** Returns whether the field is true; fails if it is neither true nor false nor absent. */
  boolean isTrue() {
    return isSet() && require(value.isBoolean(), "must be true or false").booleanValue();
  }

  /** Returns the elements of the array, or fails. */
  List<Field> elements() {
    require(value.isArray(), "must be an array");
    return IntStream.range(0, value.size())
        .mapToObj(i -> new Field(value.get(i), path + "[" + i + "]"))
        .toList();
  }

  /** Returns the error of a request in which this field is wrong. */
  ApiException wrong(String problem) {
    return new ApiException(ErrorKind.INVALID_REQUEST, path + " " + problem, path);
  }

  private JsonNode require(boolean isRight, String problem) {
    if (!isRight) {
      throw wrong(isSet() ? problem : "is required: it " + problem);
    }
    return value;
  }
}
