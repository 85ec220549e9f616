/** Finds out how a text is written: its encoding, its delimiter and quote, and the row of its header. */
import { EventLoopPacer } from '../../platform/event-loop-pacer.js';
import { FILE_FORMATS } from '../formats/file-format.js';
import { RejectedInput } from '../formats/model/rejected-input.js';
import type { TableInput, TableOptions } from '../formats/table/table.js';
import { judgeDialect } from './dialect/judge-dialect.js';
import { judgeHeader } from './dialect/judge-header.js';
import type { Quote } from './dialect/parse-sample.js';
import { judgeEncoding } from './encoding/judge-encoding.js';
import { readEvidence } from './encoding/read-evidence.js';
import { certain } from './model/answer.js';
import type { InspectedFormat } from './model/inspection.js';

export interface DetectedFormat {
  readonly answers: Pick<InspectedFormat, 'encoding' | 'delimiter' | 'quote' | 'headerRow' | 'rowPath'>;
  readonly options: TableOptions;
}

/** @throws RejectedInput for a file without text */
export async function detectTextFormat(input: TableInput): Promise<DetectedFormat> {
  const evidence = await readEvidence(input);
  if (evidence.bytes === 0) throw new RejectedInput('EMPTY_FILE', 'The file is empty.');
  const named = input.options.encoding;
  const encoding = named === undefined ? await judgeEncoding(evidence) : certain(named, 'The job names the encoding.');
  const text = decode(evidence.head, encoding.value ?? 'utf-8');
  const ownDelimiter = FILE_FORMATS[input.format].delimiter;
  const given =
    input.options.delimiter === undefined
      ? { delimiter: ownDelimiter, why: `Files of the format ${input.format} have it.` }
      : { delimiter: input.options.delimiter, why: 'The job names the delimiter.' };
  const isWhole = evidence.head.length === evidence.bytes;
  const { delimiter, quote, parsed } = await judgeDialect(text, isWhole, given, new EventLoopPacer(input.signal));
  const rows = parsed.rows.filter(({ row, cells }) => row > 1 || !/^"?sep=.?$/i.test(cells.join('')));
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

/** The text of the first bytes; a character that is cut at the end is left out. */
function decode(head: Buffer, encoding: string): string {
  return new TextDecoder(encoding).decode(head, { stream: true });
}
