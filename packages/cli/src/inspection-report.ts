/** Shows what an inspection has found: how the file is written, its columns as a table, and what is ambiguous. */
import type { schemas } from '@longshore/client';
import { count, plural, print, printTable, style } from './terminal.js';

type Inspection = schemas.FileInspection;
type Column = Inspection['columns'][number];
type Answer = Pick<Column['type'], 'verdict' | 'reason'> & {
  readonly value: unknown;
  readonly rivals: readonly unknown[];
};

/** The verdicts, the surest first. */
const VERDICTS = ['certain', 'likely', 'ambiguous'] as const;
type Verdict = (typeof VERDICTS)[number];

const KINDS: Readonly<Record<string, string>> = {
  items: 'items',
  stock: 'stock only',
  prices: 'prices only',
  categories: 'categories',
  attributes: 'attributes',
  orders: 'orders',
  googleFeed: 'a feed for Google Merchant',
};
const MAX_TITLE_LINES = 5;

/** Prints an inspection for people. */
export function printInspection(inspection: Inspection): void {
  printFormat(inspection);
  print();
  printColumns(inspection);
  printUnfitting(inspection.columns);
  printAmbiguous(inspection);
}

/** Prints what kind of file it is, and how it is written. */
function printFormat({ kind, format, rows }: Inspection): void {
  const { bold, dim } = style(process.stdout);
  const about = kind.value === null ? undefined : KINDS[kind.value];
  print(
    bold(about === undefined ? 'It cannot be told what kind of file this is' : `A file of ${about} (${kind.verdict})`),
  );
  print(`  ${kind.reason}`);
  print(`${plural(rows, 'row')}${writtenAs(format)}`);
  const { titleLines, lastRows, sheets, sheet, sheetChoice, notes } = format;
  if (sheets !== null && sheets.length > 1) {
    const names = sheets.map(
      ({ name, hidden }) => `${name}${hidden ? ' (hidden)' : ''}${name === sheet ? ' (read)' : ''}`,
    );
    print(`sheets: ${names.join(', ')}`);
    if (sheetChoice !== null) print(`  ${sheetChoice.reason}`);
  }
  for (const note of notes) print(note);
  if (titleLines.length > 0) print(`above the header, ${plural(titleLines.length, 'line')} that are no rows:`);
  const shownLines = titleLines.filter((line) => line.trim() !== '').slice(0, MAX_TITLE_LINES);
  for (const line of shownLines) print(dim(`  ${line}`));
  if (lastRows > 0) print(`at the end, ${plural(lastRows, 'row')} that are no data, such as totals`);
}

function writtenAs({
  encoding,
  delimiter,
  quote,
  headerRow,
  headerRows,
  sheet,
  rowPath,
}: Inspection['format']): string {
  const parts = [
    ...(sheet === null ? [`encoding ${encoding.value ?? 'unknown'} (${encoding.verdict})`] : [`sheet "${sheet}"`]),
    ...(delimiter === null ? [] : [`delimiter ${named(delimiter.value)} (${delimiter.verdict})`]),
    ...(quote === null || quote.value === '"' ? [] : [`quote ${named(quote.value)} (${quote.verdict})`]),
    rowPath !== null ? pathText(rowPath) : headerText(headerRow, headerRows),
  ];
  return parts.map((part) => `, ${part}`).join('');
}

function headerText({ value, verdict }: Answer, rows: number): string {
  if (value === null) return 'no row names the columns';
  return `header in ${rows === 2 ? `rows ${Number(value) - 1} and ${value}` : `row ${value}`} (${verdict})`;
}

function pathText({ value, verdict }: Answer): string {
  if (value === null) return 'no rows were found';
  return `${value === '.' ? 'rows at the top of the document' : `rows at ${value}`} (${verdict})`;
}

const NAMES: Readonly<Record<string, string>> = { '\t': 'tab', '': 'none', ' ': 'space' };

function named(sign: string | null): string {
  return sign === null ? 'unknown' : (NAMES[sign] ?? sign);
}

function printColumns({ columns, rows }: Inspection): void {
  printTable(
    ['COLUMN', 'TYPE', 'VERDICT', 'FORM', 'FILLED', 'DISTINCT', 'EXAMPLES'],
    columns.map((column) => [
      column.name,
      column.type.value ?? '?',
      verdictOf(column),
      formOf(column),
      shareOf(column.filled, rows),
      `${column.distinctIsExact ? '' : '~'}${count(column.distinct)}${column.isUnique ? ', unique' : ''}`,
      column.examples.slice(0, 3).join(' · '),
    ]),
    3,
  );
}

function shareOf(filled: number, rows: number): string {
  if (rows === 0) return '';
  const percent = (100 * filled) / rows;
  // What is nearly full is not full, and what is nearly empty not empty.
  if (filled < rows && percent > 99) return '>99 %';
  return filled > 0 && percent < 1 ? '<1 %' : `${Math.round(percent)} %`;
}

/** How the values of a column are written, as short as they are in the table. */
function formOf({ number, date, boolean, list, path }: Column): string {
  const forms: string[] = [];
  if (number !== null) forms.push(numberForm(number));
  if (date !== null) {
    const { value, rivals } = date.formats;
    forms.push(value === null ? rivals.map((formats) => formats.join(', ')).join(' or ') : value.join(', '));
  }
  if (boolean !== null) forms.push([...boolean.true, ...boolean.false].join('/'));
  if (list?.value) forms.push(`list, ${named(list.value)}`);
  if (path?.value) forms.push(`path, ${named(path.value)}`);
  return forms.filter((form) => form !== '').join('; ');
}

/** A number with the signs and the unit of a column; empty where there is nothing to say. */
function numberForm({ decimal, thousands, currency, units }: NonNullable<Column['number']>): string {
  const whole = thousands.value ? `1${thousands.value}234` : '1234';
  const suffix = [...currency, ...units].slice(0, 1).map((unit) => ` ${unit}`);
  if (decimal.value !== null) return `${whole}${decimal.value}5${suffix.join('')}`;
  if (decimal.rivals.length > 0) return decimal.rivals.map((sign) => `1234${sign}5`).join(' or ');
  return thousands.value || suffix.length > 0 ? `${whole}${suffix.join('')}` : '';
}

/** All that was answered about a column, with the words for what was asked. */
function answersOf({ type, number, date, list, path }: Column): [string, Answer][] {
  const found: [string, Answer | null | undefined][] = [
    ['type', type],
    ['decimal sign', number?.decimal],
    ['thousands sign', number?.thousands],
    ['date', date?.formats],
    ['list', list],
    ['path', path],
  ];
  return found.filter((pair): pair is [string, Answer] => pair[1] !== null && pair[1] !== undefined);
}

/** That of the least sure answer. */
function verdictOf(column: Column): Verdict {
  const worst = answersOf(column).map(([, { verdict }]) => VERDICTS.indexOf(verdict));
  return VERDICTS[Math.max(...worst)] ?? 'certain';
}

/** Prints the values that are not like the others of their column. */
function printUnfitting(columns: readonly Column[]): void {
  const found = columns.filter(({ counterExampleCount }) => counterExampleCount > 0);
  if (found.length === 0) return;
  print();
  printTable(
    ['DOES NOT FIT', 'COUNT', 'FIRST ROWS', 'FIRST VALUE', 'WHY'],
    found.map(({ name, counterExampleCount, counterExamples }) => [
      name,
      count(counterExampleCount),
      counterExamples.map(({ row }) => row).join(', '),
      counterExamples[0]?.value ?? '',
      counterExamples[0]?.reason ?? '',
    ]),
  );
}

/** Prints what can be read in several ways, which somebody has to decide before the file is imported. */
function printAmbiguous({ kind, format, columns }: Inspection): void {
  const { bold, yellow } = style(process.stdout);
  const ofFile: [string, Answer | null][] = [
    ['the kind of file', kind],
    ['the encoding', format.encoding],
    ['the delimiter', format.delimiter],
    ['the quote', format.quote],
    ['the header', format.headerRow],
    ['the sheet', format.sheetChoice],
    ['where the rows are', format.rowPath],
  ];
  const open = [
    ...ofFile.filter((pair): pair is [string, Answer] => pair[1]?.verdict === 'ambiguous'),
    ...columns.flatMap((column) =>
      answersOf(column)
        .filter(([, { verdict }]) => verdict === 'ambiguous')
        .map(([what, answer]): [string, Answer] => [`${column.name}, ${what}`, answer]),
    ),
  ];
  print();
  if (open.length === 0) return print('Nothing is ambiguous.');
  print(bold(yellow(`${plural(open.length, 'question')} that the file does not decide:`)));
  for (const [what, { reason, value, rivals }] of open) {
    print(`  ${bold(what)}: ${reason}`);
    const readings = [...(value === null ? [] : [value]), ...rivals];
    if (readings.length > 0) print(`    can be: ${readings.map(readingText).join(' or ')}`);
  }
}

function readingText(reading: unknown): string {
  return Array.isArray(reading) ? reading.join(', ') : typeof reading === 'string' ? named(reading) : String(reading);
}
