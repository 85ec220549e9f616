/** Maps the rows of a table that is no text. */
import { openTable } from '../table/open-table.js';
import type { TableInput } from '../table/table.js';
import type { MappedCopy } from './map-text.js';
import type { RowMapper, TableMapping } from './table-mapping.js';

const BLOCK_BYTES = 256 * 1024;

/** @returns the mapper of the rows. @throws RejectedInput */
export async function mapTable(
  input: TableInput,
  mapping: TableMapping,
  { lines, spool, keys }: MappedCopy,
): Promise<RowMapper> {
  const { batches, ...table } = await openTable(input, mapping.options);
  try {
    const mapper = mapping.open(table);
    const hasKeys = mapper.keyColumn >= 0;
    for await (const rows of batches) {
      for (const row of rows) {
        const line = mapper.lineOf(row);
        if (line === null) continue;
        lines.add(row.row, line);
        if (hasKeys) keys.note(mapper.key);
      }
      if (lines.pending >= BLOCK_BYTES) await spool.write(lines.take());
    }
    return mapper;
  } finally {
    await batches.return(undefined);
  }
}
