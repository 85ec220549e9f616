/** Says of which columns nothing is proposed: they have no name, no values, or a name that no import reads. */
import type { Column } from '../../inspection/model/column.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import type { Targets } from '../match/targets.js';

/** Why a column is not looked at; null: it is. */
export function blankReason({ name, isBlank, filled }: Column, targets: Targets): string | null {
  if (isBlank) {
    return filled === 0
      ? 'The column has neither a name nor values.'
      : `The column has no name in the header, and ${filled} values: write a rule for it if they matter.`;
  }
  if (name.startsWith('_')) return 'Names that begin with "_" mark columns that no import reads.';
  // A later file may have values in a column that the catalog knows.
  const isKnown = targets.named(name).length > 0 || targets.aliased(attributeKey(name)) !== undefined;
  return filled === 0 && !isKnown ? 'All cells of the column are empty.' : null;
}
