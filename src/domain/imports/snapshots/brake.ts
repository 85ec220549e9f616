/** The brake of a snapshot: what looks like a file that was cut short removes nothing. */
import { counted } from '../../kernel/counted.js';
import { canonicalDecimal } from '../../kernel/exact-decimal.js';
import type { Snapshot } from '../kept/snapshot.js';

/** What the rows of a job came in. */
export type Input = 'file' | 'request';

export function inputOf({ input_file_id: fileId }: { readonly input_file_id: string | null }): Input {
  return fileId === null ? 'request' : 'file';
}

interface Counts {
  /** Items in the scope, and those of them that would go. */
  readonly inScope: number;
  readonly going: number;
  /** Rows of the file, and those of them that failed. */
  readonly rows: number;
  readonly failed: number;
  /** What they came in. */
  readonly input: Input;
}

/** Why nothing is removed; null: it is. */
export function brakeOf(
  { maxMissingPercent, maxMissing, minRows }: Pick<Snapshot, 'maxMissingPercent' | 'maxMissing' | 'minRows'>,
  { inScope, going, rows, failed, input }: Counts,
): string | null {
  if (going === 0) return null;
  const would = `${going} of ${counted(inScope, 'item')} in the scope would go`;
  const reasons = [
    ...(isMoreThanShare(going, inScope, maxMissingPercent)
      ? [`that is more than ${maxMissingPercent} percent (maxMissingPercent)`]
      : []),
    ...(maxMissing !== undefined && going > maxMissing ? [`that is more than ${maxMissing} (maxMissing)`] : []),
    ...(failed > 0 ? [`${counted(failed, 'row')} failed`] : []),
    ...(minRows !== undefined && rows < minRows
      ? [`the ${input} has ${counted(rows, 'row')}, fewer than ${minRows} (minRows)`]
      : []),
  ];
  return reasons.length === 0 ? null : `${would}, and ${reasons.join(', and ')}`;
}

/** Exactly: 0.57 percent of 10,000 are 57, and not a little less, as doubles say. */
function isMoreThanShare(part: number, whole: number, percent: number): boolean {
  const [units = '', fraction = ''] = String(canonicalDecimal(String(percent), '.')).split('.');
  return BigInt(part) * 100n * 10n ** BigInt(fraction.length) > BigInt(units + fraction) * BigInt(whole);
}
