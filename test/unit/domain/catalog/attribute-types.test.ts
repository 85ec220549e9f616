/** What holds of every attribute type: its examples are true, and its fast path says what its codec says. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ATTRIBUTE_TYPES } from '../../../../src/domain/catalog/attribute-types.js';
import { typeNamedBy } from '../../../../src/domain/catalog/attributes/file-types.js';
import { compileAttribute } from '../../../../src/domain/catalog/compile-attribute.js';
import {
  ATTRIBUTE_MAPPINGS,
  ATTRIBUTE_TYPE_NAMES,
  type AttributeDefinition,
} from '../../../../src/domain/catalog/model/attribute-definition.js';
import type { ValueFormat } from '../../../../src/domain/catalog/model/compiled-attribute.js';
import type { AttributeType } from '../../../../src/domain/catalog/types/attribute-type.js';
import { textOfCell } from '../../../../src/domain/catalog/types/cell-text.js';
import { cellsNear, EXAMPLES, exampleDefinition } from '../../../support/models/attribute-values.js';
import { runsOf } from '../../../support/models/property-runs.js';
import { assertRefused } from './attributes/attribute-fixture.js';

const PLAIN: ValueFormat = { decimalSeparator: '.' };
const FORMATS: readonly ValueFormat[] = [PLAIN, { decimalSeparator: ',' }, { ...PLAIN, dateFormat: 'dd.MM.yyyy' }];

/** What the fast path makes of a cell; null: it leaves the cell to the codec. */
function encoded(definition: AttributeDefinition, format: ValueFormat, cell: string): string | null {
  const encode = ATTRIBUTE_TYPES[definition.type].encoder(definition, format);
  const source = Buffer.from(`,${cell},`);
  const length = source.length - 2;
  if (encode === null || length === 0) return null;
  const target = Buffer.alloc(length + 4, '~');
  const end = encode(source, 1, 1 + length, target, 1);
  if (end < 0) return null;
  assert.ok(end - 1 <= length + 2, 'it writes at most two bytes more than the cell has');
  assert.equal(target[0], '~'.charCodeAt(0));
  return target.toString('utf8', 1, end);
}

/** What the codec makes of a cell; null: it clears the value. */
function decoded(definition: AttributeDefinition, format: ValueFormat, cell: string): unknown {
  const text = textOfCell(cell);
  return text === null ? null : compileAttribute(definition, format).fromText(text);
}

/** The JSON values whose inner bytes are these. */
function jsonValues({ jsonTokens }: AttributeType, inner: string): unknown[] {
  return jsonTokens.flatMap((token) => {
    try {
      const value: unknown = JSON.parse(token === 'text' ? `"${inner}"` : inner);
      return typeof value === { text: 'string', number: 'number', word: 'boolean' }[token] ? [value] : [];
    } catch {
      return [];
    }
  });
}

describe('attribute types', () => {
  for (const name of ATTRIBUTE_TYPE_NAMES) {
    const type: AttributeType = ATTRIBUTE_TYPES[name];
    const examples = type.examples.map(({ definition, ...example }) => ({
      ...example,
      definition: exampleDefinition(name, definition),
    }));

    describe(name, () => {
      it('accepts and refuses the cells and values of its examples', () => {
        for (const { definition, cells, refusedCells, values, refusedValues } of examples) {
          const { fromText, fromJson } = compileAttribute(definition, PLAIN);
          for (const [cell, json] of Object.entries(cells)) assert.equal(fromText(cell), json, cell);
          for (const [cell, code] of Object.entries(refusedCells)) assertRefused(fromText(cell), code);
          for (const value of values) assert.equal(fromJson(value), JSON.stringify(value));
          for (const value of refusedValues) assert.notEqual(typeof fromJson(value), 'string', String(value));
          assert.ok(Object.keys(cells).length * Object.keys(refusedCells).length * values.length > 0);
        }
      });

      it('has a fast path that says of every cell what its codec says, or nothing', () => {
        const anyExample = fc.constantFrom(...examples);
        fc.assert(
          fc.property(anyExample, fc.constantFrom(...FORMATS), cellsNear(type), ({ definition }, format, cell) => {
            const fast = encoded(definition, format, cell);
            if (fast !== null) assert.equal(fast, decoded(definition, format, cell));
          }),
          { numRuns: runsOf(2000) },
        );
      });

      it('has a fast path that says of every JSON value what its codec says, or nothing', () => {
        const anyExample = fc.constantFrom(...examples);
        fc.assert(
          fc.property(anyExample, cellsNear(type), ({ definition }, inner) => {
            const fast = encoded(definition, PLAIN, inner);
            for (const value of fast === null ? [] : jsonValues(type, inner)) {
              assert.equal(fast, compileAttribute(definition, PLAIN).fromJson(value));
            }
          }),
          { numRuns: runsOf(2000) },
        );
      });

      it('takes the fast path for some cell of its first example, where it has one', () => {
        const [first] = examples;
        assert.ok(first);
        if (type.encoder(first.definition, PLAIN) === null) return;
        const fast = Object.keys(first.cells).map((cell) => encoded(first.definition, PLAIN, cell));
        assert.ok(fast.some((json) => json !== null));
      });

      it('reads back what it writes into a cell', () => {
        for (const { definition, values } of examples) {
          for (const format of FORMATS) {
            const { fromText, toText } = compileAttribute(definition, format);
            for (const value of values) assert.equal(fromText(toText(value)), JSON.stringify(value));
          }
        }
      });

      it('is named by its file forms, and by nothing else', () => {
        for (const form of type.fileForms) {
          assert.equal(typeNamedBy(form.fileType, form.decimal).type, name, form.fileType);
        }
        for (const { definition } of examples) assert.ok(type.fileForms.includes(type.fileForm(definition)));
      });
    });
  }

  it('cover every mapping', () => {
    const covered = new Set(EXAMPLES.flatMap(({ type }) => type.mappings));
    assert.deepEqual([...covered].sort(), [...ATTRIBUTE_MAPPINGS].sort());
  });

  it('refuse a file type that none of them has', () => {
    assert.throws(() => typeNamedBy('NOTHING', undefined), /no attribute type/);
  });
});
