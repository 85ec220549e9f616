/** The options that say how a file is written where an inspection is asked for, and what of it is known. */
import type { FileReading } from '@longshore/client';
import { type Command, InvalidArgumentError } from 'commander';

export interface ReadingOptions {
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly sheet?: string;
  readonly headerRow?: number;
  readonly headerRows?: number;
  readonly rowPath?: string;
}

/** Adds those that only an inspection, and what it proposes, can follow. */
export function withReading(command: Command): Command {
  return command
    .option('--header-row <number>', 'the row that names the columns, from 1; default: found out', rowOf)
    .option('--header-rows <number>', '1 or 2: the row above it names groups of columns; default: found out', rowsOf)
    .option('--row-path <path>', 'of JSON and XML, where the rows are: catalog/product; default: found out');
}

/** What an inspection is asked for. */
export function readingOf({ delimiter, encoding, sheet, headerRow, headerRows, rowPath }: ReadingOptions): FileReading {
  return {
    ...(delimiter === undefined ? {} : { delimiter: delimiter === 'tab' ? '\t' : delimiter }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(sheet === undefined ? {} : { sheet }),
    ...(headerRow === undefined ? {} : { headerRow }),
    ...(headerRows === undefined ? {} : { headerRows }),
    ...(rowPath === undefined ? {} : { rowPath }),
  };
}

/** The same as it is typed. */
export function writtenReading({
  delimiter,
  encoding,
  sheet,
  headerRow,
  headerRows,
  rowPath,
}: ReadingOptions): string[] {
  return [
    ...(delimiter === undefined ? [] : ['--delimiter', delimiter]),
    ...(encoding === undefined ? [] : ['--encoding', encoding]),
    ...(sheet === undefined ? [] : ['--sheet', sheet]),
    ...(headerRow === undefined ? [] : ['--header-row', String(headerRow)]),
    ...(headerRows === undefined ? [] : ['--header-rows', String(headerRows)]),
    ...(rowPath === undefined ? [] : ['--row-path', rowPath]),
  ];
}

function rowOf(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write the number of a row, from 1.');
}

function rowsOf(text: string): number {
  if (text === '1' || text === '2') return Number(text);
  throw new InvalidArgumentError('A header has 1 or 2 rows.');
}
