/** Reads an element of a JSON body or file into an item draft. */
import type { JsonRow } from '../../../formats/json/json-rows.js';
import { sourceHash } from '../../../formats/model/source-hash.js';
import { attributeKey } from '../../../kernel/attribute-key.js';
import { storable } from '../../../kernel/characters.js';
import { nearestName } from '../../../kernel/nearest-name.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import { describeJson, quoted } from '../../../kernel/value-problem.js';
import { asDouble, WrittenNumber } from '../../../kernel/written-number.js';
import { type DraftBuilder, type DraftOutcome, NOT_READ, type Unknown } from './draft-builder.js';
import type { AlternateRef } from './item-draft.js';
import { componentsFromJson, isProblems, unknownMember } from './read-item-cells.js';

/**
 * The fields of an item in JSON.
 * @internal exported for tests
 */
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

/**
 * Creates a reader for the elements of one request or file. `null` clears a value; values that are not named stay.
 * @internal exported for tests
 */
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
    return builder.finish(row, sourceHash([text], seed));
  };
}

/** The same for lines that may not be JSON. */
export function itemLineReader(builder: DraftBuilder, seed: number): (row: JsonRow) => DraftOutcome {
  const readElement = itemElementReader(builder, seed);
  return (row) =>
    row.problem === null || row.element !== undefined
      ? readElement(row)
      : { draft: null, problems: [row.problem], key: null, rest: null };
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenNumber);
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

const DIGITS = /^[1-9][0-9]{0,9}$/;

function readNodeId(builder: DraftBuilder, given: unknown): void {
  if (given === null) return;
  const value = asDouble(given);
  if (typeof value === 'number') builder.categoryByNodeId(value, 'nodeId');
  // Here digits are never a name, so that a category with that name does not make them ambiguous.
  else if (typeof value === 'string' && DIGITS.test(value.trim())) builder.categoryByNodeId(Number(value), 'nodeId');
  else if (typeof value === 'string') builder.category(value, 'nodeId');
  else if (value instanceof WrittenNumber) builder.fail(noNodeId(value, 'nodeId'), 'place');
  else wrongType(builder, 'nodeId', 'a number', value);
}

/** The problem of a number that no double holds exactly. */
function noNodeId({ text }: WrittenNumber, column: string): RowProblem {
  const message = `there is no category with the node id ${storable(text, 60)}, because node ids are whole numbers: correct it`;
  return { code: 'NODE_NOT_FOUND', column, message, value: storable(text, 200) };
}

function readParent(builder: DraftBuilder, value: unknown): void {
  if (value === null || value === '') builder.parent(null, 'parentSku');
  else if (typeof value === 'string') builder.parent(value, 'parentSku');
  else wrongType(builder, 'parentSku', 'a SKU or null', value);
}

const VALUE_MEMBERS = ['name', 'value'];

/** An entry without a value is an error; it does not clear the value. */
function readAttributeValues(builder: DraftBuilder, value: unknown, seen: Set<number>): void {
  if (!Array.isArray(value)) return wrongType(builder, 'attributeValues', 'a list of {name, value}', value);
  const entries: [string, unknown][] = [];
  for (const [index, entry] of value.entries()) {
    if (!isObject(entry))
      return wrongEntry(builder, index, `must be an object with "name" and "value", got ${described(entry)}`);
    if (typeof entry.name !== 'string') {
      const given = 'name' in entry ? `the "name" ${described(entry.name)}, which is not a text` : 'no "name"';
      return wrongEntry(builder, index, `has ${given}: name the attribute`);
    }
    if (!('value' in entry)) {
      const named = `{"name": ${quoted(entry.name)}, "value": …}`;
      return wrongEntry(builder, index, `has no "value": write ${named}, with null to clear the value`);
    }
    const unknown = unknownMember(entry, VALUE_MEMBERS, 'attributeValues');
    if (unknown !== undefined) return builder.fail(unknown, 'values');
    entries.push([entry.name, entry.value]);
  }
  readAttributes(builder, entries, seen);
}

function wrongEntry(builder: DraftBuilder, index: number, what: string): void {
  const message = `"attributeValues[${index}]" ${what}`;
  builder.fail({ code: 'VALUE_TYPE', column: 'attributeValues', message }, 'values');
}

function readAttributes(builder: DraftBuilder, entries: readonly [string, unknown][], seen: Set<number>): void {
  for (const [name, value] of entries) {
    if (builder.hasFailedEnough) return;
    const position = builder.rules.positionOf(name);
    if (position === undefined) {
      const message = missingAttribute(builder, name);
      // The value may be meant for another attribute.
      builder.fail({ code: 'ATTRIBUTE_NOT_FOUND', column: storable(name, 255), message }, 'values');
    } else if (seen.has(position)) {
      const message = `the attribute "${name}" is given twice; give it once`;
      const column = builder.rules.definition(position).name;
      builder.failValue(position, { code: 'DUPLICATE_MEMBER', column, message });
    } else {
      seen.add(position);
      readAttribute(builder, position, value);
    }
  }
}

function readAttribute(builder: DraftBuilder, position: number, value: unknown): void {
  if (value === null || value === undefined || value === '') return builder.clear(position);
  const { definition, fromJson } = builder.rules.attribute(position);
  const json = fromJson(value);
  const { name } = definition;
  if (typeof json !== 'string') {
    builder.failValue(position, json.at(name));
  } else if (typeof value === 'string') {
    // JSON says how texts of numbers and dates are written.
    builder.setFromText(position, name, value, json, true);
  } else {
    builder.set(position, json);
  }
}

function missingAttribute({ attributeHints }: DraftBuilder, name: string): string {
  const nearest = attributeHints.nearest(name);
  const advice = nearest === undefined ? 'create it first' : `did you mean "${nearest.name}"?`;
  return `there is no attribute "${storable(name, 60)}": ${advice}`;
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

/**
 * Node ids as numbers, and texts, as in the column. `null` and an empty list take the item out of all alternate
 * categories.
 */
function readAlternates(builder: DraftBuilder, value: unknown): void {
  const field = 'alternateCategories';
  if (value === null) return builder.alternates([], field);
  if (!Array.isArray(value)) return wrongType(builder, field, 'a list of category paths and node ids', value);
  const named: AlternateRef[] = [];
  for (const [index, given] of value.entries()) {
    const one = asDouble(given);
    if (typeof one === 'number') named.push(one);
    else if (one instanceof WrittenNumber) return builder.fail(noNodeId(one, field));
    else if (typeof one !== 'string') {
      return wrongType(builder, `${field}[${index}]`, 'a category path or a node id', given, field);
    } else if (one.trim() !== '') named.push(one.trim());
  }
  builder.alternates(named, field);
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

/** @param place where in the element the value is; its field, or an entry of that */
function wrongType(builder: DraftBuilder, place: string, expected: string, value: unknown, field = place): void {
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

function described(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  return describeJson(value);
}
