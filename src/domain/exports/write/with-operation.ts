/** Adds to attributes or categories that have changed what became of them, and those that are no longer in the export. */

import { OPERATION_COLUMN } from '../../formats/model/added-columns.js';
import type { Cell } from '../../formats/xlsx/cell.js';
import type { LinesBody, RecordsBody } from './export-body.js';
import { DELETED, UPSERTED } from './operation.js';

/** A record that is no longer in the export. */
export interface LeftRecord {
  /** Header of a column → its cell: what says which record it is. */
  readonly cells: Readonly<Record<string, string>>;
  /** The same in JSON. */
  readonly element: object;
}

export function withOperation(body: LinesBody | RecordsBody, left: readonly LeftRecord[]): LinesBody | RecordsBody {
  if ('lines' in body) return { lines: lines(body.lines, left) };
  const { header, records, cellsOf } = body;
  return {
    header: [...header, OPERATION_COLUMN],
    records: rows(records, header, left),
    ...(cellsOf === undefined
      ? {}
      : { cellsOf: (record: readonly string[]): Cell[] => [...cellsOf(record.slice(0, -1)), record.at(-1) ?? ''] }),
  };
}

async function* rows(
  records: RecordsBody['records'],
  header: readonly string[],
  left: readonly LeftRecord[],
): AsyncGenerator<string[]> {
  for await (const record of records) yield [...record, UPSERTED];
  for (const { cells } of left) yield [...header.map((title) => cells[title] ?? ''), DELETED];
}

async function* lines(all: AsyncIterable<string>, left: readonly LeftRecord[]): AsyncGenerator<string> {
  // Each line is an object with members.
  for await (const line of all) yield `${line.trimEnd().slice(0, -1)},"${OPERATION_COLUMN}":"${UPSERTED}"}\n`;
  for (const { element } of left) yield `${JSON.stringify({ ...element, [OPERATION_COLUMN]: DELETED })}\n`;
}
