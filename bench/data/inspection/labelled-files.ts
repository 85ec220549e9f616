/** Files of shops whose answers are known: the same in every run. */
import type { TextEncoding } from '../../../src/domain/formats/text/encoding-names.js';
import { encodeText } from '../../../src/domain/formats/text/text-encoding.js';
import { LOCALES, type ShopLocale } from './locales.js';
import { MORE_LOCALES } from './more-locales.js';
import { Random } from './random.js';
import { type Choices, cellsOfRow, DIRTY_PERCENT, dirty } from './shop-cells.js';

/** Of the first countries, and of those with other encodings. */
const FILES_OF_FIRST = 420;
const FILES_OF_MORE = 240;
export const LABELLED_FILES = FILES_OF_FIRST + FILES_OF_MORE;

/** What an inspection should answer; `ambiguous`: the file does not decide it. */
type Expected = string | 'ambiguous';

export interface LabelledFile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly encoding: TextEncoding;
  readonly answers: Readonly<Record<string, Expected>>;
}

const MARKS = { 'utf-8': '\ufeff', 'utf-16le': '\ufeff', 'utf-16be': '\ufeff' } as Readonly<Record<string, string>>;

/** @param number from 0 to below LABELLED_FILES */
export function labelledFile(number: number): LabelledFile {
  const random = new Random(number);
  const locales = number < FILES_OF_FIRST ? LOCALES : MORE_LOCALES;
  const locale = locales[number % locales.length] as ShopLocale;
  const choices = chooseFrom(locale, random);
  const rowCount = 40 + random.below(140);
  const lines: string[] = [];
  const titles = random.chance(40) ? 1 + random.below(3) : 0;
  for (let title = 0; title < titles; title += 1)
    lines.push(title === 0 ? locale.title : title === 1 ? '' : locale.words.slice(0, 2).join(' '));
  const quoteAll = random.chance(25);
  const cellOf = (text: string) =>
    quoteAll || text.includes(choices.delimiter) || /["\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const lineOf = (cells: readonly string[]) => cells.map(cellOf).join(choices.delimiter);
  lines.push(lineOf(locale.header.map((name) => name.replaceAll('_', ' '))));
  for (let row = 0; row < rowCount; row += 1) {
    const cells = cellsOfRow(locale, choices, row, random);
    // The key is never wrong; of every other cell, some are.
    lines.push(
      lineOf(cells.map((cell, column) => (column > 1 && random.below(100) < DIRTY_PERCENT ? dirty(random) : cell))),
    );
  }
  const hasTotal = random.chance(30);
  if (hasTotal) lines.push(lineOf([locale.total, '', '12345', ...locale.header.slice(3).map(() => '')]));
  const text = lines.join(random.chance(50) ? '\r\n' : '\n') + (random.chance(80) ? '\n' : '');
  const hasMark = random.chance(40);
  const bytes = Buffer.from(encodeText((hasMark ? (MARKS[choices.encoding] ?? '') : '') + text, choices.encoding));
  return {
    name: `${number} (${locale.name}, ${choices.encoding})`,
    bytes,
    encoding: choices.encoding,
    answers: answersOf(locale, choices, { titles, hasTotal }),
  };
}

function chooseFrom(locale: ShopLocale, random: Random): Choices {
  const decidesNumbers = random.chance(75);
  const thousands = random.pick(locale.thousands);
  const encoding = random.pick(locale.encodings);
  return {
    encoding,
    delimiter: random.pick(locale.delimiters),
    decimal: locale.decimal,
    thousands: decidesNumbers ? thousands : locale.decimal === ',' ? '.' : ',',
    decidesNumbers,
    date: random.pick(locale.dates),
    decidesDates: random.chance(75),
    yesNo: random.pick(locale.yesNo),
    currency: random.pick(locale.currency),
    unit: random.pick(locale.units),
    list: random.pick(
      ['|', '; ', ', ', '/'].filter((sign) => sign.trim() !== locale.delimiters[0] || random.chance(30)),
    ),
    path: random.pick(
      [' > ', '>', ' / ', ' » ', '->', '|'].filter(
        (sign) => sign !== ' » ' || /^(?:utf|windows-125[02])/.test(encoding),
      ),
    ),
  };
}

function answersOf(
  locale: ShopLocale,
  choices: Choices,
  { titles, hasTotal }: { titles: number; hasTotal: boolean },
): Record<string, Expected> {
  const dateIsOpen = !choices.decidesDates && !choices.date.startsWith('yyyy');
  return {
    delimiter: choices.delimiter,
    headerRow: String(titles + 1),
    lastRows: hasTotal ? '1' : '0',
    kind: 'items',
    decimal: choices.decidesNumbers ? choices.decimal : 'ambiguous',
    thousands: choices.decidesNumbers ? choices.thousands.replace('\u00a0', ' ') : 'ambiguous',
    currency: choices.currency,
    date: dateIsOpen ? 'ambiguous' : choices.date.replace(/^d\.M/, 'dd.MM').replace(/^M\/d/, 'MM/dd'),
    boolean: choices.yesNo.join('/'),
    list: choices.list.trim(),
    path: choices.path.trim(),
    unit: choices.unit,
    types: `text text decimal integer boolean date text text decimal text (${locale.header.length})`,
  };
}
