/** Reads an element of a JSON body or file into an item draft. */
import type { JsonRow } from '../../../formats/json/json-rows.js';
import { sourceHash } from '../../../formats/model/source-hash.js';
import { attributeKey } from '../../../kernel/attribute-key.js';
import { storable } from '../../../kernel/characters.js';
import { nearestName } from '../../../kernel/nearest-name.js';
import { asDouble } from '../../../kernel/written-number.js';
import { componentsFromJson, isProblems } from './bundle-components.js';
import type { DraftBuilder } from './draft-builder.js';
import { type DraftOutcome, NOT_HASHED, NOT_READ } from './draft-outcome.js';
import { readAttributes, readAttributeValues } from './element-attributes.js';
import { readAlternates, readNodeId } from './element-categories.js';
import { described, ITEM_FIELDS, isObject, wrongType } from './element-fields.js';

/** Creates a reader for the elements of one request or file. `null` clears a value; values that are not named stay. */
export function itemElementReader(builder: DraftBuilder, seed: number): (row: JsonRow) => DraftOutcome {
  const seen = new Set<number>();
  return ({ row, text, element, problem, incomplete }) => {
    builder.reset();
    seen.clear();
    if (!isObject(element)) {
      builder.fail({
        code: 'ROW_NOT_OBJECT',
        column: null,
        message: `expected an object with "sku" and attributes, got ${described(element)}`,
      });
      return builder.finish(row, NOT_READ);
    }
    if (problem !== null) builder.fail(problem, 'place');
    for (const [field, value] of Object.entries(element)) {
      if (builder.hasFailedEnough) break;
      // Its entries lack the members that are given twice, which is reported.
      if (incomplete?.has(field) && Array.isArray(value)) continue;
      readField(builder, field, value, seen);
    }
    // Of a member that is given more than once, none is left in the element.
    if (problem === null && !('sku' in element)) builder.sku('', 'sku');
    return builder.finish(row, builder.hasFailed ? NOT_HASHED : sourceHash([text], seed));
  };
}

/** @param seen positions of the attributes that the element has named so far, in either list */
function readField(builder: DraftBuilder, field: string, value: unknown, seen: Set<number>): void {
  switch (field) {
    case 'sku':
      return typeof value === 'string' ? builder.sku(value, 'sku') : wrongType(builder, 'sku', 'a text', value);
    case 'nodeName':
      if (value === null || value === '') return;
      return typeof value === 'string'
        ? builder.category(value, 'nodeName')
        : wrongType(builder, 'nodeName', 'a category path', value);
    case 'nodeId':
      return readNodeId(builder, value);
    case 'parentSku':
      return readParent(builder, value);
    case 'attributes':
      return isObject(value)
        ? readAttributes(builder, Object.entries(value), seen)
        : wrongType(builder, 'attributes', 'an object of names and values', value);
    case 'attributeValues':
      return readAttributeValues(builder, value, seen);
    case 'detach':
      if (value === true) builder.detach();
      else if (value !== false && value !== null) wrongType(builder, 'detach', 'true or false', value);
      return;
    case 'type':
      return readType(builder, value);
    case 'bundleItems':
      return readBundleItems(builder, value);
    case 'alternateCategories':
      return readAlternates(builder, value);
    case 'channels':
      return readChannels(builder, value);
    default:
      // It may be a misspelt one, such as that of the category.
      if (!field.startsWith('_')) builder.fail(unknownField(field), 'place');
  }
}

function readParent(builder: DraftBuilder, value: unknown): void {
  if (value === null || value === '') builder.parent(null, 'parentSku');
  else if (typeof value === 'string') builder.parent(value, 'parentSku');
  else wrongType(builder, 'parentSku', 'a SKU or null', value);
}

function readType(builder: DraftBuilder, value: unknown): void {
  if (value === 'ITEM') builder.type('I');
  else if (value === 'BUNDLE') builder.type('B');
  else if (value !== null) {
    const message = `"type" must be ITEM or BUNDLE, got ${described(value)}`;
    builder.fail({ code: 'FIELD_INVALID', column: 'type', message });
  }
}

function readBundleItems(builder: DraftBuilder, value: unknown): void {
  const read = componentsFromJson(value, 'bundleItems');
  if (isProblems(read)) for (const problem of read) builder.fail(problem);
  else builder.components(read);
}

/** Numbers; `null` makes the item belong to all channels. */
function readChannels(builder: DraftBuilder, value: unknown): void {
  if (value === null) return builder.channels(null, 'channels');
  if (!Array.isArray(value) || value.length === 0) {
    const given = Array.isArray(value) ? 'an empty list' : described(value);
    const message = `"channels" must be a list of numbers, or null for all channels, got ${given}`;
    return builder.fail({ code: 'VALUE_TYPE', column: 'channels', message });
  }
  const channels = value.map(asDouble);
  if (channels.every((channel) => typeof channel === 'number')) return builder.channels(channels, 'channels');
  const wrong = channels.find((channel) => typeof channel !== 'number');
  const message = `"channels" must be a list of whole numbers, and ${described(wrong)} is none`;
  builder.fail({ code: 'VALUE_TYPE', column: 'channels', message });
}

function unknownField(field: string): { code: 'FIELD_INVALID'; column: string; message: string } {
  const nearest =
    ITEM_FIELDS.find((known) => attributeKey(known) === attributeKey(field)) ??
    nearestName(field, ITEM_FIELDS, (f) => f);
  const advice = nearest === undefined ? 'values of attributes go into "attributes"' : `did you mean "${nearest}"?`;
  return {
    code: 'FIELD_INVALID',
    column: storable(field, 255),
    message: `there is no field "${storable(field, 60)}": ${advice}`,
  };
}
