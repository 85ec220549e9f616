import { describeJson } from '../../../kernel/value-problem.js';
import { WrittenNumber } from '../../../kernel/written-number.js';
import type { DraftBuilder } from './draft-builder.js';
import type { Unknown } from './found-faults.js';

/** The fields of an item in JSON. */
export const ITEM_FIELDS = [
  'sku',
  'type',
  'nodeName',
  'nodeId',
  'parentSku',
  'detach',
  'attributeValues',
  'attributes',
  'bundleItems',
  'alternateCategories',
  'channels',
];

type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenNumber);
}

/** @param place where in the element the value is; its field, or an entry of that */
export function wrongType(builder: DraftBuilder, place: string, expected: string, value: unknown, field = place): void {
  const message = `"${place}" must be ${expected}, got ${described(value)}`;
  builder.fail({ code: 'VALUE_TYPE', column: field, message }, UNKNOWN_BY_FIELD[field]);
}

/** What is not known of a row whose field has a value of a wrong type. */
const UNKNOWN_BY_FIELD: Readonly<Record<string, Unknown>> = {
  nodeName: 'place',
  nodeId: 'place',
  parentSku: 'values',
  detach: 'values',
  attributes: 'values',
  attributeValues: 'values',
};

export function described(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  return describeJson(value);
}
