/** Finds out how a text is written: its encoding, its delimiter and quote, and the row of its header. */
import { EventLoopPacer } from '../../platform/event-loop-pacer.js';
import { FILE_FORMATS } from '../formats/file-format.js';
import { RejectedInput } from '../formats/model/rejected-input.js';
import { refuseBinary, wrongFormat } from '../formats/plan/refuse-wrong-format.js';
import type { TableInput, TableOptions } from '../formats/table/table.js';
import { encodingNamed } from '../formats/text/encoding-names.js';
import { decodeHead } from '../formats/text/text-encoding.js';
import { judgeDialect } from './dialect/judge-dialect.js';
import { type JudgedGroups, judgeGroups, judgeHeader } from './dialect/judge-header.js';
import type { Quote, SampleRow } from './dialect/parse-sample.js';
import { byteOrderMark, encodingsAlike, judgeEncoding } from './encoding/judge-encoding.js';
import { readEvidence } from './encoding/read-evidence.js';
import { type Answer, certain } from './model/answer.js';
import type { InspectedFormat } from './model/inspection.js';

/** Texts have none but tabs and line ends; some files are divided by U+0001, or by U+001C to U+001F. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\x00\x02-\x08\x0e-\x1a]/g;
/** A few are dirt. */
const LEAST_CONTROLS = 8;
const MOST_CONTROLS = 0.02;

/** What is known of the form of a file, because somebody has said it. */
export interface AskedForm {
  /** Where the rows of JSON or XML are. */
  readonly rowPath?: string | undefined;
  /** The row that names the columns of a table, from 1. */
  readonly headerRow?: number | undefined;
  /** 2: the row above it names groups of columns. */
  readonly headerRows?: number | undefined;
}

export interface DetectedFormat {
  readonly answers: Omit<InspectedFormat, 'titleLines' | 'lastRows' | 'sheet' | 'notes'>;
  /** What is to be known of a sheet besides. */
  readonly notes?: readonly string[];
  readonly options: TableOptions;
}

/** @throws RejectedInput for a file without text, and for one that is no text */
export async function detectTextFormat(input: TableInput, asked: AskedForm): Promise<DetectedFormat> {
  const evidence = await readEvidence(input);
  if (evidence.bytes === 0) throw new RejectedInput('EMPTY_FILE', 'The file is empty.');
  refuseBinary(evidence.head, input.format);
  const encoding = saidEncoding(input, evidence.head) ?? (await judgeEncoding(evidence));
  const text = decodeHead(evidence.head, encoding.value ?? 'utf-8');
  refuseControls(text, input.format);
  const ownDelimiter = FILE_FORMATS[input.format].delimiter;
  const given =
    input.options.delimiter === undefined
      ? { delimiter: ownDelimiter, why: `Files of the format ${input.format} have it.` }
      : { delimiter: input.options.delimiter, why: 'It was said that this is the delimiter.' };
  const isWhole = evidence.head.length === evidence.bytes;
  const {
    delimiter,
    quote,
    escape: mark,
    parsed,
    isAll,
  } = await judgeDialect(text, isWhole, given, new EventLoopPacer(input.signal));
  const rows = parsed.rows.filter(({ row, cells }) => row > 1 || !/^"?sep=.?$/i.test(cells.join('')));
  if (rows.length > 0 && isWhole && rows.every(({ cells }) => cells.every((cell) => cell.trim() === ''))) {
    throw new RejectedInput('EMPTY_FILE', 'The file holds nothing but blanks and delimiters.');
  }
  const { headerRow, headerRows } = headerOf(asked, rows, isAll);
  return {
    answers: {
      ...{ encoding, sameEncodings: encodingsAlike(evidence, encoding.value ?? 'utf-8') },
      ...{ delimiter, quote, escape: mark, headerRow, headerRows },
      ...{ rowPath: null, sheets: null, sheetChoice: null },
    },
    options: {
      encoding: encoding.value ?? undefined,
      delimiter: delimiter.value ?? undefined,
      quote: (quote.value ?? '"') as Quote,
      escape: mark ?? undefined,
      headerRow: headerRow.value ?? headerRow.rivals[0],
      headerRows,
    },
  };
}

/** Which row names the columns, and how many rows the header has: as it was said, or as the first rows show it. */
export function headerOf(asked: AskedForm, rows: readonly SampleRow[], areAll: boolean): JudgedGroups {
  const { headerRow, headerRows } = asked;
  const found =
    headerRow === undefined
      ? judgeHeader(rows, areAll)
      : certain(headerRow, 'It was said that this row names the columns.');
  if (headerRows === undefined) return judgeGroups(rows, found);
  if (headerRows === 1 || headerRow === undefined) return { headerRow: found, headerRows: 1 };
  const both = `It was said that row ${headerRow} names the columns, and row ${headerRow - 1} their groups.`;
  return { headerRow: certain(headerRow, both), headerRows };
}

/** The encoding that was named; null: none was, or the file begins with a mark, which takes precedence. */
export function saidEncoding({ options: { encoding } }: TableInput, head: Buffer): Answer<string> | null {
  if (encoding === undefined || byteOrderMark(head) !== null) return null;
  return certain(encodingNamed(encoding) ?? encoding, 'It was said that this is the encoding.');
}

/** @throws RejectedInput WRONG_FORMAT for bytes that are a text in no encoding */
function refuseControls(text: string, format: TableInput['format']): void {
  const controls = text.match(CONTROLS)?.length ?? 0;
  if (controls < LEAST_CONTROLS || controls <= text.length * MOST_CONTROLS) return;
  const share = Math.round((100 * controls) / text.length);
  throw wrongFormat(
    format,
    `binary: ${share} of 100 characters at its beginning are control characters`,
    'Export the data as CSV.',
  );
}
