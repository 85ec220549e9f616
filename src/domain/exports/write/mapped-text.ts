/** Writes the rows of an export in the form of a profile: as text in its encoding, or as rows of a workbook. */
import type { CsvQuote } from '../../formats/csv/csv-quote.js';
import { escapedCell } from '../../formats/csv/escaped-quotes.js';
import { encodeText } from '../../formats/text/text-encoding.js';
import type { Cell } from '../../formats/xlsx/cell.js';
import type { MappedFormat, MappedRows } from './export-body.js';

const BYTE_ORDER_MARK = '\uFEFF';
/** What an import could detect as the delimiter, so that it stands in quotes where the profile names none. */
const DETECTED_DELIMITERS = ',;\t|';
/** Stands in rows at the end that the profile leaves out, because a blank row would not count. */
const FILLER = '-';

/** Rows of ours in pieces; null is no value. */
type RowBatches = AsyncIterable<readonly (readonly (string | null)[])[]>;

/** The bytes of a text, in pieces of many rows. */
export async function* mappedText(rows: MappedRows, batches: RowBatches, bom: boolean): AsyncGenerator<Buffer> {
  const { format, header } = rows;
  const line = lineWriter(format);
  const { above, behind, atEnd } = fillersOf(rows);
  const blank = '\n'.repeat(above);
  const start = [header, ...behind].map(line).join('');
  yield encodeText(`${bom ? BYTE_ORDER_MARK : ''}${blank}${start}`, format.encoding);
  for await (const batch of batches) {
    let text = '';
    for (const cells of batch) {
      for (const row of rows.write(cells)) text += line(row);
    }
    if (text !== '') yield encodeText(text, format.encoding);
  }
  if (atEnd.length > 0) yield encodeText(atEnd.map(line).join(''), format.encoding);
}

/** The rows of a workbook below its header, in batches. */
export async function* mappedCells(rows: MappedRows, batches: RowBatches): AsyncGenerator<(readonly Cell[])[]> {
  const { behind, atEnd } = fillersOf(rows);
  yield [...behind];
  for await (const batch of batches) {
    const written: (readonly Cell[])[] = [];
    for (const cells of batch) {
      for (const row of rows.write(cells)) written.push(row.map((cell) => (cell === '' ? null : cell)));
    }
    yield written;
  }
  yield [...atEnd];
}

/** Rows that the profile does not read: blank ones above the header; the header again after it; and at the end. */
function fillersOf({ header, format }: MappedRows) {
  const { headerRow, skipFirst, skipLast } = format;
  return {
    above: headerRow - 1,
    behind: Array.from({ length: skipFirst }, () => header),
    atEnd: Array.from({ length: skipLast }, () => header.map((_, index) => (index === 0 ? FILLER : ''))),
  };
}

/** Whether a text can be a cell between the delimiters of a file without quotes. */
export function isUnquotedCell(text: string, delimiter: string | undefined): boolean {
  return !needsQuotes(text, delimiter, '');
}

function lineWriter({ delimiter, quote, escape: mark }: MappedFormat): (cells: readonly string[]) => string {
  const between = delimiter ?? ',';
  const written = (cell: string): string => {
    if (mark !== undefined && quote !== '' && cell.includes(mark)) return escapedCell(cell, quote);
    if (quote === '' || !needsQuotes(cell, delimiter, quote)) return cell;
    return mark === undefined ? quote + cell.replaceAll(quote, quote + quote) + quote : escapedCell(cell, quote);
  };
  return (cells) => `${cells.map(written).join(between)}\n`;
}

function needsQuotes(text: string, delimiter: string | undefined, quote: CsvQuote): boolean {
  for (const character of `${delimiter ?? DETECTED_DELIMITERS}${quote}\r\n`) if (text.includes(character)) return true;
  return false;
}
