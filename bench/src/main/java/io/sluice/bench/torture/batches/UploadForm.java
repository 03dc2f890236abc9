package io.sluice.bench.torture.batches;

/** A form that uploads the input of a batch. */
record UploadForm(String fileName, String content) {
  private static final String BOUNDARY = "----sluice-torture-form";

  String contentType() {
    return "multipart/form-data; boundary=" + BOUNDARY;
  }

  String body() {
    return part("name=\"purpose\"", "batch")
        + part("name=\"file\"; filename=\"" + fileName + "\"", content)
        + "--"
        + BOUNDARY
        + "--\r\n";
  }

  private static String part(String disposition, String value) {
    return "--%s\r\ncontent-disposition: form-data; %s\r\n\r\n%s\r\n"
        .formatted(BOUNDARY, disposition, value);
  }
}
