/**
 * Writes the export of a shop as a file: `node examples/shop-file.mjs de 5000 > de-shop.csv`; `xlsx` is a spreadsheet. With
 * `offers` it has a column of days that can be read in two ways.
 */
import { shopFile } from './generator/shop-files.mjs';
import { SHOPS } from './generator/shop-words.mjs';
import { shopWorkbook } from './generator/shop-workbook.mjs';

const [country = 'de', rows = '5000', offers] = process.argv.slice(2);
const isWorkbook = country === 'xlsx';
const isUnderstood =
  (isWorkbook || Object.hasOwn(SHOPS, country)) && /^[1-9][0-9]*$/.test(rows) && (offers ?? 'offers') === 'offers';
if (!isUnderstood || (isWorkbook && offers !== undefined)) {
  process.stderr.write(
    `usage: node examples/shop-file.mjs ${Object.keys(SHOPS).join('|')} [rows [offers]], or xlsx [rows]\n`,
  );
  process.exitCode = 2;
} else {
  const { bytes, mistakes } = isWorkbook
    ? shopWorkbook(Number(rows))
    : shopFile(country, Number(rows), { offers: offers !== undefined });
  process.stdout.write(bytes);
  process.stderr.write(`${rows} rows, ${mistakes.length} of them with a mistake\n`);
}
