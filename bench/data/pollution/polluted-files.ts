/**
 * About a hundred CSV files, each with one pollution, after the list that the Pollock benchmark published (Vitagliano and
 * others, "Pollock: A Data Loading Benchmark", VLDB 2023), by a generator of our own. They are the same in every run.
 */
import { cleanHeader, cleanRows, HEADER, ROWS } from './clean-table.js';
import {
  dividedBy,
  type Fault,
  type Form,
  STANDARD,
  withDelimiter,
  withoutDelimiter,
  withQuote,
  writeTable,
} from './write-polluted.js';

export interface PollutedFile {
  readonly kind: string;
  readonly name: string;
  readonly bytes: Buffer;
  /** The names of the columns; empty: the file has none. */
  readonly header: readonly string[];
  readonly records: readonly (readonly string[])[];
  /** What a reader has to be given that does not find it out. */
  readonly delimiter: string;
  readonly lineEnd: string;
}

interface Pollution {
  readonly header?: readonly string[];
  readonly rows?: readonly (readonly string[])[];
  readonly form?: Partial<Form>;
  readonly faults?: ReadonlyMap<number, Fault>;
  /** The text, of the text of the table alone; default: the latter. */
  readonly around?: (table: string, form: Form) => string;
  /** The rows of the file, if they are not header and rows. */
  readonly written?: readonly (readonly string[])[];
  /** What the file holds, if it is not header and rows. */
  readonly truth?: Partial<Pick<PollutedFile, 'header' | 'records'>>;
}

/** In the order of the list. */
export function pollutedFiles(): PollutedFile[] {
  return [
    file('standard', 'standard', {}),
    ...ends(),
    ...headers(),
    ...surroundings(),
    ...tables(),
    ...sizes(),
    ...faultyRows('fewer delimiters', (column) => withoutDelimiter(Math.max(1, column))),
    ...faultyRows('more delimiters', withDelimiter),
    ...delimiters(),
    ...quotes(),
    ...lineEnds(),
    ...faultyRows('extra quote', withQuote),
    ...oneRow(),
  ];
}

function file(kind: string, name: string, pollution: Pollution): PollutedFile {
  const { header = HEADER, rows = cleanRows(), truth = {}, faults } = pollution;
  const form = { ...STANDARD, ...pollution.form };
  const table = writeTable(pollution.written ?? [header, ...rows], form, faults);
  const text = pollution.around?.(table, form) ?? table;
  const { delimiter, lineEnd } = form;
  return { kind, name, bytes: Buffer.from(text), header, records: rows, delimiter, lineEnd, ...truth };
}

function ends(): PollutedFile[] {
  const nothing = { header: [], records: [] };
  return [
    file('end of file', 'no bytes', { written: [], truth: nothing }),
    file('end of file', 'no line end at the end', { form: { end: '' } }),
    file('end of file', 'two line ends at the end', { form: { end: '\r\n\r\n' } }),
  ];
}

function headers(): PollutedFile[] {
  const several = (count: number): Pollution => ({
    written: [...Array.from({ length: count }, () => HEADER), ...cleanRows()],
    truth: { header: HEADER.map((name) => Array.from({ length: count }, () => name).join(' ')) },
  });
  const renamed = (index: number, name: string) => HEADER.map((each, at) => (at === index ? name : each));
  return [
    file('header', 'none', { written: cleanRows(), truth: { header: [] } }),
    file('header', 'two rows', several(2)),
    file('header', 'three rows', several(3)),
    file('header', 'a blank name', { header: renamed(3, '') }),
    file('header', 'a repeated name', { header: renamed(8, 'URL') }),
    file('header', 'a name of many signs', { header: renamed(4, 'HEAD/%R (€)') }),
    file('header', 'nothing but the header', { rows: [] }),
  ];
}

function surroundings(): PollutedFile[] {
  const blank = ','.repeat(HEADER.length - 1);
  const lines = ['Sales of the outfitter', 'Exported on 3 April 2018', 'All prices are in dollars'];
  return [false, true].flatMap((isDivided) => {
    const texts = isDivided ? lines.map((line) => line + blank) : lines;
    const how = isDivided ? ', with delimiters' : '';
    const block = (separator: string) => texts.join('\r\n') + separator;
    const blankLine = isDivided ? `${blank}\r\n` : '\r\n';
    return [
      file('lines above', `three${how}`, { around: (table) => block('\r\n') + table }),
      file('lines above', `three and a blank one${how}`, { around: (table) => block(`\r\n${blankLine}`) + table }),
      file('lines below', `three${how}`, { around: (table) => table + block('\r\n') }),
      file('lines below', `a blank one and three${how}`, { around: (table) => table + blankLine + block('\r\n') }),
    ];
  });
}

function tables(): PollutedFile[] {
  return [6, 9, 12].flatMap((columns) =>
    [true, false].map((isApart) => {
      const second = [cleanHeader(columns).map((name) => `${name} B`), ...cleanRows(10, columns)];
      const name = `${columns} columns below ${HEADER.length}${isApart ? ', after a blank line' : ''}`;
      const around = (table: string, form: Form) => table + (isApart ? '\r\n' : '') + writeTable(second, form);
      return file('several tables', name, { around, truth: { records: [...cleanRows(), ...second.slice(1)] } });
    }),
  );
}

function sizes(): PollutedFile[] {
  return [
    ...[1, 2, 5_000].map((count) => file('number of rows', `${count}`, { rows: cleanRows(count) })),
    ...[1, 2, 60, 1_000].map((columns) =>
      file('number of columns', `${columns}`, { header: cleanHeader(columns), rows: cleanRows(ROWS, columns) }),
    ),
  ];
}

/** Rows at the beginning, in the middle and at the end; columns of each kind. */
function faultyRows(kind: string, faultOf: (column: number) => Fault): PollutedFile[] {
  return [1, 2, 42, ROWS].flatMap((row) =>
    [0, 3, 6, 8].map((column) => {
      const faults = new Map([[row, faultOf(column)]]);
      const rows = cleanRows();
      if (kind === 'extra quote') {
        const cells = rows[row - 1] as string[];
        rows[row - 1] = cells.map((cell, index) => (index === column ? `"${cell}` : cell));
        return file(kind, `row ${row + 1}, column ${column + 1}`, {
          written: [HEADER, ...cleanRows()],
          faults,
          truth: { records: rows },
        });
      }
      return file(kind, `row ${row + 1}, column ${column + 1}`, { faults });
    }),
  );
}

function delimiters(): PollutedFile[] {
  const named: [string, string][] = [
    [';', 'semicolon'],
    ['\t', 'tab'],
    ['|', 'pipe'],
    [' ', 'blank'],
    [', ', 'comma and blank'],
    [':', 'colon'],
    ['^', 'caret'],
    ['~', 'tilde'],
  ];
  return named.map(([delimiter, name]) => file('delimiter', name, { form: { delimiter } }));
}

function quotes(): PollutedFile[] {
  return [
    file('quotes', 'apostrophes', { form: { quote: "'", escaping: "'" } }),
    file('quotes', 'apostrophes around all cells', { form: { quote: "'", escaping: "'", quoted: 'all' } }),
    file('quotes', 'around all cells', { form: { quoted: 'all' } }),
    file('quotes', 'none, with tabs', { form: { quoted: 'none', delimiter: '\t' } }),
    file('escapes', 'backslash', { form: { escaping: '\\' } }),
    file('escapes', 'backslash, all cells in quotes', { form: { escaping: '\\', quoted: 'all' } }),
    file('escapes', 'none', { form: { escaping: '' } }),
    file('escapes', 'none, all cells in quotes', { form: { escaping: '', quoted: 'all' } }),
  ];
}

function lineEnds(): PollutedFile[] {
  const otherEnd = (row: number, end: string) =>
    file('line ends', `${JSON.stringify(end)} after row ${row} alone`, {
      around: (table) =>
        table.split('\r\n').reduce((text, line, index) => text + (index === row ? end : '\r\n') + line),
    });
  return [
    file('line ends', 'LF', { form: { lineEnd: '\n', end: '\n' } }),
    file('line ends', 'CR', { form: { lineEnd: '\r', end: '\r' } }),
    ...[1, 2, 42].map((row) => otherEnd(row, '\n')),
    otherEnd(1, '\r'),
  ];
}

function oneRow(): PollutedFile[] {
  return [' ', ';'].flatMap((delimiter) =>
    [1, 2, 42, ROWS].map((row) =>
      file('delimiter of one row', `${delimiter === ' ' ? 'blank' : 'semicolon'} in row ${row + 1}`, {
        faults: new Map([[row, dividedBy(delimiter)]]),
      }),
    ),
  );
}
