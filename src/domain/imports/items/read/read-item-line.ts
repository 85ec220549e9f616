/** Reads a line of JSON into an item draft. */
import type { JsonRow } from '../../../formats/json/json-rows.js';
import type { DraftBuilder } from './draft-builder.js';
import type { DraftOutcome } from './draft-outcome.js';
import { itemElementReader } from './read-item-element.js';

/** The same for lines that may not be JSON. */
export function itemLineReader(builder: DraftBuilder, seed: number): (row: JsonRow) => DraftOutcome {
  const readElement = itemElementReader(builder, seed);
  return (row) =>
    row.problem === null || row.element !== undefined
      ? readElement(row)
      : { draft: null, problems: [row.problem], key: null, rest: null };
}
