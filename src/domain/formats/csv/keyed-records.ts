/** The second pass over a CSV text: compares the keys that several rows may share. */
import type { WinningRow } from '../model/source-input.js';
import type { DuplicateKeys } from '../plan/duplicate-keys.js';
import type { RecordReader } from '../text/read-records.js';
import { type CsvBody, CsvRecordReader } from './csv-record-reader.js';
import type { CsvScanner } from './csv-scanner.js';
import { parseCsvChunk } from './parse-csv-chunk.js';

/**
 * A reader that records the rows with candidate keys.
 * @param columns how many cells a row must have
 * @param firstRow number of the first line
 */
export function keyedRecords(
  body: CsvBody,
  columns: number,
  keys: DuplicateKeys,
  winner: WinningRow,
  firstRow: number,
): RecordReader {
  return new CsvRecordReader(body, firstRow, (window, scanner, start, row) => {
    if (scanner.isBlank(start) || !isCandidate(keys, window.bytes, scanner)) return true;
    const bytes = window.bytes.subarray(start, scanner.next);
    const [parsed] = parseCsvChunk(bytes, { delimiter: body.delimiter, columns, firstRow: row });
    // A row that cannot be read has no key: it fails, and no other row fails because of it.
    if (parsed !== undefined && parsed.problem === null) {
      keys.record(row, parsed.cells[body.keyColumn] ?? '', winner);
    }
    return true;
  });
}

function isCandidate(keys: DuplicateKeys, bytes: Buffer, scanner: CsvScanner): boolean {
  if (scanner.keyForm === 'plain') return keys.isCandidateBytes(bytes, scanner.keyStart, scanner.keyEnd);
  return scanner.keyForm === 'escaped' && keys.isCandidate(escapedKey(bytes, scanner));
}

/** The text of a key with quotes in it. */
export function escapedKey(bytes: Buffer, { keyStart, keyEnd }: CsvScanner): string {
  return bytes.toString('utf8', keyStart, keyEnd).replaceAll('""', '"');
}
