/**
 * Corrects the error file of the guide's page "Your first import", as a person would do in a spreadsheet program:
 * `node examples/first-import/correct.mjs FILE`. The right values are in corrections.csv.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import Papa from 'papaparse';

const [file] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('Name the error file: node examples/first-import/correct.mjs FILE\n');
  process.exit(2);
}

const corrections = recordsOf(new URL('corrections.csv', import.meta.url)).data;
const { data: rows, meta } = recordsOf(file);
for (const row of rows) {
  for (const { Column: column, Value: value } of corrections.filter(
    (one) => one['Article Number'] === row['Article Number'],
  )) {
    process.stdout.write(`${row['Article Number']}: ${column} "${row[column]}" → "${value}"\n`);
    row[column] = value;
  }
}
writeFileSync(file, `${Papa.unparse(rows, { columns: meta.fields, newline: '\n' })}\n`);

function recordsOf(path) {
  return Papa.parse(readFileSync(path, 'utf8'), { header: true, skipEmptyLines: true });
}
