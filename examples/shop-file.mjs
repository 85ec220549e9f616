/** Writes the export of a shop as a file: `node examples/shop-file.mjs de 5000 > de-shop.csv`; `xlsx` is a spreadsheet. */
import { shopFile } from './generator/shop-files.mjs';
import { SHOPS } from './generator/shop-words.mjs';
import { shopWorkbook } from './generator/shop-workbook.mjs';

const [country = 'de', rows = '5000'] = process.argv.slice(2);
if (!(country === 'xlsx' || Object.hasOwn(SHOPS, country)) || !/^[1-9][0-9]*$/.test(rows)) {
  process.stderr.write(`usage: node examples/shop-file.mjs ${Object.keys(SHOPS).join('|')}|xlsx [rows]\n`);
  process.exitCode = 2;
} else {
  const { bytes, mistakes } = country === 'xlsx' ? shopWorkbook(Number(rows)) : shopFile(country, Number(rows));
  process.stdout.write(bytes);
  process.stderr.write(`${rows} rows, ${mistakes.length} of them with a mistake\n`);
}
