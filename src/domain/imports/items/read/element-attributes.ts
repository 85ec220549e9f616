/** Reads the values of attributes of an element. */
import { storable } from '../../../kernel/characters.js';
import { quoted } from '../../../kernel/value-problem.js';
import { unknownMember } from './bundle-components.js';
import type { DraftBuilder } from './draft-builder.js';
import { described, isObject, wrongType } from './element-fields.js';

const VALUE_MEMBERS = ['name', 'value'];

/** An entry without a value is an error; it does not clear the value. */
export function readAttributeValues(builder: DraftBuilder, value: unknown, seen: Set<number>): void {
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

export function readAttributes(builder: DraftBuilder, entries: readonly [string, unknown][], seen: Set<number>): void {
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
