// Compares what passed with what has to pass: a test that was renamed must not go unnoticed.
import { readFileSync } from "node:fs";
import applies from "./applies.js";

let missing = 0;
for (const [streams, names] of Object.entries(applies)) {
  const report = JSON.parse(readFileSync(`results-${streams}.json`, "utf8"));
  const passed = new Set(
    report.testResults
      .flatMap((file) => file.assertionResults)
      .filter((test) => test.status === "passed")
      .map((test) => test.fullName),
  );
  const absent = names.filter((name) => !passed.has(name));
  absent.forEach((name) => console.error(`not passed over ${streams} answers: ${name}`));
  console.log(`${names.length - absent.length} of ${names.length} tests passed over ${streams} answers`);
  missing += absent.length;
}
process.exit(missing === 0 ? 0 : 1);
