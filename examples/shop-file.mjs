/**
 * Writes the export of a shop as a file: `node examples/shop-file.mjs de 5000 > de-shop.csv`; `xlsx` is a spreadsheet. With
 * `offers` it has a column of days that can be read in two ways.
 */
import { once } from 'node:events';
import { shopPieces } from './generator/shop-files.mjs';
import { SHOPS } from './generator/shop-words.mjs';
import { shopWorkbook } from './generator/shop-workbook.mjs';

const ROWS_AT_ONCE = 500;

// Who reads only its beginning, such as `head`, ends it.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const [country = 'de', rows = '5000', offers] = process.argv.slice(2);
const isWorkbook = country === 'xlsx';
const isUnderstood =
  (isWorkbook || Object.hasOwn(SHOPS, country)) && /^[1-9][0-9]*$/.test(rows) && (offers ?? 'offers') === 'offers';
if (!isUnderstood || (isWorkbook && offers !== undefined)) {
  process.stderr.write(
    `usage: node examples/shop-file.mjs ${Object.keys(SHOPS).join('|')} [rows [offers]], or xlsx [rows]\n`,
  );
  process.exitCode = 2;
} else if (isWorkbook) {
  const { bytes, mistakes } = shopWorkbook(Number(rows));
  process.stdout.write(bytes);
  say(mistakes.length);
} else {
  let wrong = 0;
  let waiting = [];
  const send = async () => {
    const isRead = process.stdout.write(Buffer.concat(waiting));
    waiting = [];
    if (!isRead) await once(process.stdout, 'drain');
  };
  for (const { bytes, mistake } of shopPieces(country, Number(rows), { offers: offers !== undefined })) {
    waiting.push(bytes);
    if (mistake !== undefined) wrong++;
    if (waiting.length === ROWS_AT_ONCE) await send();
  }
  await send();
  say(wrong);
}

function say(mistakes) {
  process.stderr.write(`${rows} rows, ${mistakes} of them with a mistake\n`);
}
