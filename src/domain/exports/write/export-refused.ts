/** Thrown when an export is impossible as it was requested: its job ends as REJECTED with this reason. */
import type { SpreadsheetLimit } from '../../formats/xlsx/cell.js';

type ExportRefusal = 'DEFINITIONS_CHANGED' | SpreadsheetLimit;

export class ExportRefused extends Error {
  override readonly name = 'ExportRefused';
  constructor(
    readonly reason: ExportRefusal,
    message: string,
  ) {
    super(message);
  }
}
