/** A row of a revert as it was read: it is about an item, or about a definition. */
import type { ReadDefinition } from './apply-definitions.js';
import type { ReadRevert } from './apply-reverts.js';
import { isDefinitionRow } from './definition-row.js';

export type ReadChange = ReadRevert | ReadDefinition;

export function isOfDefinition(change: ReadChange): change is ReadDefinition {
  return isDefinitionRow(change.item);
}

export function isOfItem(change: ReadChange): change is ReadRevert {
  return !isDefinitionRow(change.item);
}
