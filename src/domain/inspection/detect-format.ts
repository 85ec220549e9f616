/** Finds out how a text is written: its encoding, its delimiter and quote, and the row of its header. */
import { EventLoopPacer } from '../../platform/event-loop-pacer.js';
import { FILE_FORMATS } from '../formats/file-format.js';
import { RejectedInput } from '../formats/model/rejected-input.js';
import { refuseBinary, wrongFormat } from '../formats/plan/refuse-wrong-format.js';
import type { TableInput, TableOptions } from '../formats/table/table.js';
import { judgeDialect } from './dialect/judge-dialect.js';
import { judgeHeader } from './dialect/judge-header.js';
import type { Quote } from './dialect/parse-sample.js';
import { judgeEncoding } from './encoding/judge-encoding.js';
import { readEvidence } from './encoding/read-evidence.js';
import { certain } from './model/answer.js';
import type { InspectedFormat } from './model/inspection.js';

/** Texts have none but tabs and line ends; some files are divided by U+0001, or by U+001C to U+001F. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\x00\x02-\x08\x0e-\x1a]/g;
/** A few are dirt. */
const LEAST_CONTROLS = 8;
const MOST_CONTROLS = 0.02;

export interface DetectedFormat {
  readonly answers: Pick<InspectedFormat, 'encoding' | 'delimiter' | 'quote' | 'headerRow' | 'rowPath'>;
  readonly options: TableOptions;
}

/** @throws RejectedInput for a file without text, and for one that is no text */
export async function detectTextFormat(input: TableInput): Promise<DetectedFormat> {
  const evidence = await readEvidence(input);
  if (evidence.bytes === 0) throw new RejectedInput('EMPTY_FILE', 'The file is empty.');
  refuseBinary(evidence.head, input.format);
  const named = input.options.encoding;
  const encoding = named === undefined ? await judgeEncoding(evidence) : certain(named, 'The job names the encoding.');
  const text = decode(evidence.head, encoding.value ?? 'utf-8');
  refuseControls(text, input.format);
  const ownDelimiter = FILE_FORMATS[input.format].delimiter;
  const given =
    input.options.delimiter === undefined
      ? { delimiter: ownDelimiter, why: `Files of the format ${input.format} have it.` }
      : { delimiter: input.options.delimiter, why: 'The job names the delimiter.' };
  const isWhole = evidence.head.length === evidence.bytes;
  const { delimiter, quote, parsed } = await judgeDialect(text, isWhole, given, new EventLoopPacer(input.signal));
  const rows = parsed.rows.filter(({ row, cells }) => row > 1 || !/^"?sep=.?$/i.test(cells.join('')));
  if (rows.length > 0 && isWhole && rows.every(({ cells }) => cells.every((cell) => cell.trim() === ''))) {
    throw new RejectedInput('EMPTY_FILE', 'The file holds nothing but blanks and delimiters.');
  }
  const headerRow = judgeHeader(rows);
  return {
    answers: { encoding, delimiter, quote, headerRow, rowPath: null },
    options: {
      encoding: encoding.value ?? undefined,
      delimiter: delimiter.value ?? undefined,
      quote: (quote.value ?? '"') as Quote,
      headerRow: headerRow.value ?? headerRow.rivals[0],
    },
  };
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

/** The text of the first bytes; a character that is cut at the end is left out. */
function decode(head: Buffer, encoding: string): string {
  return new TextDecoder(encoding).decode(head, { stream: true });
}
