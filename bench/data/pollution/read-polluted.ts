/** Reads a file by what its inspection says of it, as an import does that follows the inspection. */
import { RejectedInput } from '../../../src/domain/formats/model/rejected-input.js';
import { openTable } from '../../../src/domain/formats/table/open-table.js';
import type { TableOptions } from '../../../src/domain/formats/table/table.js';
import { inspectSource } from '../../../src/domain/inspection/inspect-source.js';
import type { Inspection } from '../../../src/domain/inspection/model/inspection.js';
import { bytesInput } from '../../world/file-input.js';
import type { Reading } from './score-reading.js';

/** @returns null when the file is refused */
export async function readPolluted(bytes: Buffer): Promise<Reading | null> {
  try {
    const { format } = await inspectSource(bytesInput(bytes));
    const { header, batches } = await openTable(bytesInput(bytes), optionsOf(format));
    const records: (readonly string[])[] = [];
    for await (const batch of batches) records.push(...batch.map(({ cells }) => cells));
    // A table has a header always; the inspection says that the row is none.
    return format.headerRow.value === null ? { header: [], records: [header, ...records] } : { header, records };
  } catch (error) {
    if (error instanceof RejectedInput) return null;
    throw error;
  }
}

function optionsOf({ encoding, delimiter, quote, headerRow, lastRows, ...others }: Inspection['format']): TableOptions {
  return {
    encoding: encoding.value ?? undefined,
    delimiter: delimiter?.value ?? undefined,
    quote: (quote?.value ?? '"') as NonNullable<TableOptions['quote']>,
    escape: others.escape ?? undefined,
    headerRow: headerRow.value ?? headerRow.rivals[0],
    skipLast: lastRows,
  };
}
