/** Which names an uploaded file may have: they are shown, sent in headers, and their ending says what is inside. */

import { fileFormat, IMPORTABLE } from '../formats/file-format.js';
import { isStorable } from '../kernel/characters.js';

const MAX_CHARACTERS = 255;
/** Control characters, and characters that reorder the text and so can hide the real ending. */
const INVISIBLE = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Spreadsheets of other programs. */
const OTHER_SPREADSHEETS: Readonly<Record<string, string>> = {
  xls: 'an old Excel workbook',
  xlsb: 'a binary Excel workbook',
  numbers: 'a spreadsheet of Numbers',
};

/** Endings of texts that may be tables: Excel gives .txt to what it saves with tabs. */
const OTHER_TEXTS: ReadonlySet<string> = new Set(['txt', 'tab', 'asc', 'dat']);

function adviceFor(name: string): string {
  const ending = /\.([a-z]+)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  if (OTHER_TEXTS.has(ending)) return `; if .${ending} is a table with a delimiter, such as tabs, name it .csv`;
  if (!Object.hasOwn(OTHER_SPREADSHEETS, ending)) return '';
  return `; .${ending} is ${OTHER_SPREADSHEETS[ending]}: save it as .xlsx, .ods or CSV`;
}

/** Whether a name is that of an archive of a stage. */
export function isArchiveName(name: string): boolean {
  return /\.zip$/i.test(name);
}

/**
 * What is wrong with a name; undefined when it is valid.
 * @param asArchive whether the file is announced as an archive of a stage, and not as rows
 */
export function fileNameProblem(name: string, asArchive = false): string | undefined {
  if (name === '') return 'is empty';
  if (name.length > MAX_CHARACTERS) return `is longer than ${MAX_CHARACTERS} characters`;
  if (INVISIBLE.test(name) || !isStorable(name)) return 'holds control characters';
  if (/[/\\]/.test(name)) return 'holds a path separator; give the name without folders';
  if (asArchive) return isArchiveName(name) ? undefined : 'does not end in .zip, as archives of stages do';
  if (fileFormat(name) === undefined) return `has no ending that can be imported: ${IMPORTABLE}${adviceFor(name)}`;
  return undefined;
}
