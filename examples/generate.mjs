/** Writes the sample catalog. `--check` writes nothing and ends with 1 when a file is not what it would write. */
import { readFileSync, writeFileSync } from 'node:fs';
import { attributes, mappings } from './generator/attributes.mjs';
import { inventCatalog } from './generator/catalog.mjs';
import { primary } from './generator/categories.mjs';

const { elements, lines, sale, expected } = inventCatalog();

const files = {
  'attributes.json': listOf(attributes),
  'mapping.json': indented({ mappings }),
  'categories.json': indented({ primary, alternate: sale }),
  'items.json': listOf(elements),
  'items.csv': `${lines.join('\n')}\n`,
  'expected.json': indented(expected),
};

const check = process.argv.includes('--check');
for (const [name, text] of Object.entries(files)) {
  const path = new URL(name, import.meta.url);
  if (!check) {
    writeFileSync(path, text);
  } else if (readFileSync(path, 'utf8') !== text) {
    process.stderr.write(`examples/${name} is not what examples/generate.mjs writes\n`);
    process.exitCode = 1;
  }
}

/** One element a line: long lists stay readable in a diff. */
function listOf(list) {
  return `[\n${list.map((element) => JSON.stringify(element)).join(',\n')}\n]\n`;
}

function indented(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}
