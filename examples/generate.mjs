/** Writes the sample catalog. With `--check` it writes nothing, and exits with 1 if a file differs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { attributes, mappings } from './generator/attributes.mjs';
import { inventCatalog } from './generator/catalog.mjs';
import { primary } from './generator/categories.mjs';
import { inventFirstImport } from './generator/first-import.mjs';
import { platformFiles } from './generator/platforms.mjs';

const { elements, lines, sale, expected } = inventCatalog();

const files = {
  'attributes.json': listOf(attributes),
  'mapping.json': indented({ mappings }),
  'categories.json': indented({ primary, alternate: sale }),
  'items.json': listOf(elements),
  'items.csv': `${lines.join('\n')}\n`,
  'expected.json': indented(expected),
  ...Object.fromEntries(Object.entries(inventFirstImport()).map(([name, text]) => [`first-import/${name}`, text])),
  ...Object.fromEntries(Object.entries(platformFiles()).map(([name, text]) => [`shops/${name}`, text])),
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

/** Writes one element on each line, so that long lists are readable in a diff. */
function listOf(list) {
  return `[\n${list.map((element) => JSON.stringify(element)).join(',\n')}\n]\n`;
}

function indented(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}
