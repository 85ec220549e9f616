/** The error for a row over the limit. */
import { RejectedInput } from '../model/rejected-input.js';
import type { SourceLimits } from '../model/source-limits.js';

export function rowTooLong(row: number, limits: SourceLimits): RejectedInput {
  return new RejectedInput('ROW_TOO_LONG', `Row ${row} is longer than ${limits.maxRowBytes} bytes. Shorten it.`, {
    row,
  });
}
