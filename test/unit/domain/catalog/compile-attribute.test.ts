import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compileAttribute } from '../../../../src/domain/catalog/compile-attribute.js';
import { ATTRIBUTE_TYPE_NAMES } from '../../../../src/domain/catalog/model/attribute-definition.js';
import { ValueProblem } from '../../../../src/domain/kernel/value-problem.js';
import { runsOf } from '../../../support/models/property-runs.js';
import { ATTRIBUTE_ID, compiled, definitionOf } from './attributes/attribute-fixture.js';

const OPTIONS = ['a', 'b"', '\\NULL', '1', '1.5'];
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.double().map(String),
  fc.bigInt().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom(...OPTIONS, 'yes', 'FALSE', '1,5', '2024-02-29', '1e5', '-0', '0.10', '31.12.2024'),
);
const formats = fc.record({
  decimalSeparator: fc.constantFrom('.' as const, ',' as const),
  dateFormat: fc.constantFrom(undefined, 'dd.MM.yyyy', 'MM/dd/yyyy HH:mm'),
});

describe('compileAttribute', () => {
  it("keys values by the attribute's id", () => {
    assert.equal(compiled('TEXT').jsonKey, `"${ATTRIBUTE_ID}"`);
  });

  it('makes canonical JSON of whatever it takes: it parses, and is taken again as it is', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ATTRIBUTE_TYPE_NAMES), formats, anyText, (type, format, text) => {
        const attribute = compileAttribute(definitionOf(type, { options: OPTIONS }), format);
        const json = attribute.fromText(text);
        if (json instanceof ValueProblem) return;
        const value: unknown = JSON.parse(json);
        assert.equal(attribute.fromJson(value), json);
        assert.equal(attribute.fromText(attribute.toText(value)), json);
      }),
      { numRuns: runsOf(3000) },
    );
  });

  it('judges any JSON value without throwing, and takes again what it took', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ATTRIBUTE_TYPE_NAMES), fc.jsonValue(), (type, value) => {
        const attribute = compiled(type, { options: OPTIONS });
        const json = attribute.fromJson(value);
        if (json instanceof ValueProblem) return;
        assert.equal(attribute.fromJson(JSON.parse(json)), json);
      }),
      { numRuns: runsOf(3000) },
    );
  });
});
