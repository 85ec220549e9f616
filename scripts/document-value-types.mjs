/**
 * Writes the tables of the attribute types into a page, after a build:
 * `node scripts/document-value-types.mjs docs/use/value-types.md`. The text between `<!-- generated: … -->` and `<!-- end -->` is replaced.
 */
import { readFile, writeFile } from 'node:fs/promises';

/** The parts that can be generated: the name in the marker → the function that writes the text. */
const PARTS = {
  'value-types': valueTypes,
  'attribute-file-types': attributeFileTypes,
  // One type: value-text, value-boolean …
  'value-': (types, type) => formsOf(types[type.toUpperCase()].forms),
};

const TYPES = new URL('../dist/src/domain/catalog/attribute-types.js', import.meta.url);

/** Each type, with a table of the values that each kind of file accepts. */
function valueTypes(types) {
  return Object.entries(types)
    .map(([name, { summary, forms }]) => `### ${name}\n\n${wrapped(summary)}\n\n${formsOf(forms)}`)
    .join('\n\n');
}

function formsOf(forms) {
  const rows = [
    ['CSV, TSV', forms.csv],
    ['workbook', forms.workbook],
    ['JSON', forms.json],
  ].map(([files, { accepts, refuses, example }]) => [files, accepts, refuses, example]);
  return table(['In', 'Accepts', 'Refuses', 'Example'], rows);
}

/** The table of the columns `Type of Attribute` and `Decimal` of attribute files. */
function attributeFileTypes(types) {
  const forms = Object.entries(types).flatMap(([name, { fileForms }]) => fileForms.map((form) => ({ name, form })));
  const rows = forms.map(({ name, form }) => [
    `\`${form.fileType}\``,
    decimalOf(form, forms),
    `\`${name}\``,
    Object.entries(form.fields ?? {})
      .map(([field, value]) => `\`${field}: "${value}"\``)
      .join(', ') || '–',
  ]);
  return table(['`Type of Attribute`', '`Decimal`', 'Type in JSON', 'Further fields in JSON'], rows);
}

function decimalOf({ fileType, decimal }, forms) {
  if (decimal !== undefined) return decimal ? 'TRUE' : 'FALSE';
  return forms.some(({ form }) => form.fileType === fileType && form.decimal !== undefined) ? 'empty' : '–';
}

/** A Markdown table whose columns are padded to one width, as in all pages. */
function table(header, rows) {
  const cells = [header, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = header.map((_, column) => Math.max(3, ...cells.map((row) => [...row[column]].length)));
  const line = (row) =>
    `| ${row.map((cell, column) => cell + ' '.repeat(widths[column] - [...cell].length)).join(' | ')} |`;
  const [head, ...body] = cells;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

const LINE = 120;

function wrapped(text) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== '' && last.length + 1 + word.length > LINE) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.join('\n');
}

const BLOCK = /(<!-- generated: ([a-z-]+) -->\n)([\s\S]*?)(<!-- end -->)/g;

/**
 * The page with new blocks of attribute types. Blocks with other names are not changed.
 * @param types the registry of attribute types
 */
function withValueTypes(page, types) {
  return page.replace(BLOCK, (whole, begin, name, _old, end) => {
    const part = partOf(name, types);
    return part === undefined ? whole : `${begin}\n${part}\n\n${end}`;
  });
}

/** @returns the text of a block; undefined if this script does not write it */
function partOf(name, types) {
  if (Object.hasOwn(PARTS, name)) return PARTS[name](types);
  const [, prefix, type] = /^(value-)([a-z]+)$/.exec(name) ?? [];
  return type !== undefined && Object.hasOwn(types, type.toUpperCase()) ? PARTS[prefix](types, type) : undefined;
}

function hasBlock(page, types) {
  return [...page.matchAll(BLOCK)].some(([, , name]) => partOf(name, types) !== undefined);
}

const paths = process.argv.slice(2);
if (paths.length === 0) throw new Error('usage: node scripts/document-value-types.mjs <page> …');
const { ATTRIBUTE_TYPES } = await import(TYPES);
for (const path of paths) {
  const page = await readFile(path, 'utf8');
  if (!hasBlock(page, ATTRIBUTE_TYPES)) throw new Error(`${path} has no block that this script writes`);
  await writeFile(path, withValueTypes(page, ATTRIBUTE_TYPES));
}
