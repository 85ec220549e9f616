/** Other readers of CSV files, if the machine has them: Python's `csv.Sniffer`, and the `.import` of SQLite's shell. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Reading } from '../data/pollution/score-reading.js';

/** A file to read, and what a reader is told that cannot find it out. */
interface FileToRead {
  readonly path: string;
  readonly delimiter: string;
  readonly lineEnd: string;
}

export interface CsvReader {
  readonly name: string;
  /** The program that it is. */
  readonly needs: string;
  /** Null for each file that it refuses. @returns null when the machine does not have the reader */
  read(files: readonly FileToRead[]): (Reading | null)[] | null;
}

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
const UNIT = '\x1f';
const RECORD = '\x1e';
const NEXT_FILE = '\x1d';

export const CSV_READERS: readonly CsvReader[] = [
  { name: 'csv.Sniffer', needs: 'python3', read: readWithSniffer },
  {
    name: 'SQLite',
    needs: 'sqlite3',
    read: (files) => readWithSqlite(files, ({ path }) => [`.import --csv "${path}" t`]),
  },
  { name: 'SQLite, given the delimiter', needs: 'sqlite3', read: (files) => readWithSqlite(files, importGiven) },
];

function readWithSniffer(files: readonly FileToRead[]): (Reading | null)[] | null {
  const program = fileURLToPath(new URL('../../../bench/reference/csv-sniffer.py', import.meta.url));
  const output = outputOf('python3', [program, ...files.map(({ path }) => path)], '');
  if (output === null) return null;
  return (JSON.parse(output) as (string[][] | null)[]).map((rows) => (rows === null ? null : withHeader(rows)));
}

/** SQLite takes the first row for the header; so must Python, whose `has_header` is wrong more often than that. */
function withHeader(rows: readonly string[][]): Reading | null {
  const [header, ...records] = rows.filter((row) => row.length > 0);
  return header === undefined ? null : { header, records };
}

/** As the Pollock benchmark has it: delimiter and line end are named. */
function importGiven({ path, delimiter, lineEnd }: FileToRead): string[] {
  return ['.mode csv', `.separator ${JSON.stringify(delimiter)} ${JSON.stringify(lineEnd)}`, `.import "${path}" t`];
}

function readWithSqlite(
  files: readonly FileToRead[],
  importOf: (file: FileToRead) => string[],
): (Reading | null)[] | null {
  const script = files.flatMap((file) => [
    ...importOf(file),
    '.mode ascii',
    '.headers on',
    'SELECT * FROM t;',
    'DROP TABLE IF EXISTS t;',
    `.print "${NEXT_FILE}"`,
  ]);
  const output = outputOf('sqlite3', [':memory:'], `${script.join('\n')}\n`);
  if (output === null) return null;
  const parts = output.split(`${NEXT_FILE}\n`).slice(0, files.length);
  if (parts.length !== files.length) throw new Error(`sqlite3 answered for ${parts.length} of ${files.length} files`);
  return parts.map((part) => withHeader(part.split(RECORD).flatMap((row) => (row === '' ? [] : [row.split(UNIT)]))));
}

/** What a program writes, whatever it complains about; null: there is no such program. */
function outputOf(program: string, args: readonly string[], input: string): string | null {
  const { stdout, error } = spawnSync(program, args, { input, encoding: 'utf8', maxBuffer: MAX_OUTPUT_BYTES });
  if (error === undefined) return stdout;
  if ('code' in error && error.code === 'ENOENT') return null;
  throw error;
}
