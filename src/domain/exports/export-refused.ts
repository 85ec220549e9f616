/** Thrown where an export turns out to be impossible as it was asked for: its job ends as REJECTED with this reason. */

export type ExportRefusal = 'DEFINITIONS_CHANGED' | 'TOO_MANY_COLUMNS';

export class ExportRefused extends Error {
  override readonly name = 'ExportRefused';
  constructor(
    readonly reason: ExportRefusal,
    message: string,
  ) {
    super(message);
  }
}
