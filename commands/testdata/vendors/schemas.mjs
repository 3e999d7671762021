// Compiles a list of JSON Schemas as 2020-12, which holds each of them against
// the meta-schema, and refuses keywords that the draft does not know.

import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";

const wrong = [];
for (const { of, schema } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  try {
    new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);
  } catch (e) {
    wrong.push(`${of}: ${e.message}`);
  }
}
console.log(wrong.join("\n"));
process.exitCode = wrong.length === 0 ? 0 : 1;
