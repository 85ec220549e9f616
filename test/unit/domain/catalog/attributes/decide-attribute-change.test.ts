import assert from 'node:assert/strict';
import type { AttributeAction, AttributeInput } from '../../../../../src/domain/catalog/attributes/attribute-input.js';
import { AttributeSet } from '../../../../../src/domain/catalog/attributes/attribute-set.js';
import {
  type AttributeChange,
  applyAttributeChange,
  decideAttributeChange,
} from '../../../../../src/domain/catalog/attributes/decide-attribute-change.js';
import { parseAttributeInput } from '../../../../../src/domain/catalog/attributes/parse-attribute-input.js';
import { usageQuestions } from '../../../../../src/domain/catalog/attributes/usage-questions.js';
import type { AttributeDefinition } from '../../../../../src/domain/catalog/model/attribute-definition.js';
import { accepted, problemsOf } from './attribute-fixture.js';

const COLOUR = 'aaaaaaaaaaaaaaaaaaaaaaaa';
const WEIGHT = 'bbbbbbbbbbbbbbbbbbbbbbbb';
const FRESH = 'cccccccccccccccccccccccc';

const colour: AttributeDefinition = {
  id: COLOUR,
  name: 'Colour',
  type: 'OPTIONS',
  position: 1,
  optionsType: 'TEXT',
  options: ['Red', 'Blue'],
  validation: { required: true },
};
const weight: AttributeDefinition = {
  id: WEIGHT,
  name: 'Weight',
  type: 'DECIMAL',
  position: 7,
  description: 'In kg',
  validation: { range: { min: 0, max: 100 } },
};

const input = (element: object, action?: AttributeAction): AttributeInput =>
  accepted(parseAttributeInput(element, action));

function decide(
  element: object,
  { action, usage = {} }: { action?: AttributeAction; usage?: Record<string, number> } = {},
) {
  const facts = { newId: () => FRESH, usageOf: (id: string) => usage[id] ?? 0 };
  return decideAttributeChange(new AttributeSet([colour, weight]), input(element, action), facts);
}
const change = (...args: Parameters<typeof decide>): AttributeChange => accepted(decide(...args));

describe('decideAttributeChange', () => {
  it('creates after the last attribute, with defaults written out', () => {
    assert.deepEqual(change({ name: 'Title', type: 'TEXT' }), {
      kind: 'create',
      definition: { id: FRESH, name: 'Title', type: 'TEXT', position: 8, textSubType: 'SMALL_TEXT', validation: {} },
    });
    const serial = change({ name: 'No', type: 'SERIAL' }).definition;
    assert.deepEqual([serial.serialStart, serial.validation.incrementBy], [1, 1]);
  });

  it('brings ranges and lists to the form in which items hold values', () => {
    const validation = { range: { min: '1.50', max: 1e3 }, oneOf: ['2.0', 3] };
    assert.deepEqual(change({ name: 'A', type: 'DECIMAL', validation }).definition.validation, {
      range: { min: 1.5, max: 1000 },
      oneOf: ['2', '3'],
    });
    const dates = { range: { max: '2024-01-31T10:00:00+02:00' } };
    assert.deepEqual(change({ name: 'A', type: 'DATETIME', validation: dates }).definition.validation, {
      range: { max: '2024-01-31T08:00:00.000Z' },
    });
    assert.deepEqual(
      change({ name: 'A', type: 'OPTIONS', optionsType: 'DECIMAL', options: [1.5, '02.0'] }).definition.options,
      ['1.5', '2'],
    );
  });

  it('lets CREATE replace an attribute of the same name, which keeps its id and place', () => {
    const replaced = change({ name: 'COLOUR', type: 'OPTIONS', options: ['Green'] });
    assert.deepEqual(replaced, {
      kind: 'update',
      previous: colour,
      definition: {
        id: COLOUR,
        name: 'COLOUR',
        type: 'OPTIONS',
        position: 1,
        optionsType: 'TEXT',
        options: ['Green'],
        validation: {},
      },
    });
  });

  it('recognises what changes nothing', () => {
    assert.equal(
      change({
        name: 'Colour',
        type: 'OPTIONS',
        options: ['Red', 'Blue'],
        validation: { required: true, unique: false },
      }).kind,
      'unchanged',
    );
    assert.equal(
      change({ action: 'UPDATE', name: 'colour ', id: undefined, options: ['Red', 'Blue'] }).kind,
      'update',
      'the name is written otherwise',
    );
    assert.equal(change({ action: 'UPDATE', id: WEIGHT, description: 'In kg' }).kind, 'unchanged');
  });

  it('lets UPDATE change what it names, inside validation and range too, and null clear it', () => {
    const updated = change({
      action: 'UPDATE',
      id: WEIGHT,
      description: null,
      validation: { unique: true, range: { max: null } },
    });
    assert.deepEqual(updated.definition, {
      id: WEIGHT,
      name: 'Weight',
      type: 'DECIMAL',
      position: 7,
      validation: { unique: true, range: { min: 0 } },
    });
    assert.deepEqual(change({ action: 'UPDATE', id: WEIGHT, validation: null }).definition.validation, {});
    assert.deepEqual(
      change({ action: 'UPDATE', id: COLOUR, validation: { required: false } }).definition.validation,
      {},
    );
  });

  it('checks what an UPDATE leads to', () => {
    assert.deepEqual(problemsOf(decide({ action: 'UPDATE', id: WEIGHT, validation: { range: { min: 200 } } })), [
      'FIELD_INVALID validation.range',
    ]);
    assert.deepEqual(problemsOf(decide({ action: 'UPDATE', id: COLOUR, options: null })), ['FIELD_INVALID options']);
    assert.deepEqual(problemsOf(decide({ action: 'UPDATE', id: WEIGHT, options: ['a'] })), ['FIELD_INVALID options']);
  });

  it('renames by id, but not onto another name', () => {
    assert.equal(change({ action: 'UPDATE', id: WEIGHT, name: 'Mass' }).definition.name, 'Mass');
    assert.deepEqual(problemsOf(decide({ action: 'UPDATE', id: WEIGHT, name: 'colour' })), ['NAME_EXISTS name']);
  });

  it('changes a type while nothing holds a value, and drops what the new type does not have', () => {
    const changed = change({ action: 'UPDATE', id: WEIGHT, type: 'TEXT' });
    assert.deepEqual(changed.definition, {
      id: WEIGHT,
      name: 'Weight',
      type: 'TEXT',
      position: 7,
      description: 'In kg',
      textSubType: 'SMALL_TEXT',
      validation: {},
    });
  });

  it('keeps a type while items hold values, and says how many', () => {
    for (const element of [
      { action: 'UPDATE', id: WEIGHT, type: 'INTEGER' },
      { name: 'weight', type: 'INTEGER' },
    ]) {
      const problems = decide(element, { usage: { [WEIGHT]: 12 } });
      assert.deepEqual(problemsOf(problems), ['TYPE_IN_USE type']);
      assert.match(JSON.stringify(problems), /12 items hold a value/);
    }
    assert.equal(
      change({ action: 'UPDATE', id: WEIGHT, type: 'DECIMAL', description: 'x' }, { usage: { [WEIGHT]: 12 } }).kind,
      'update',
    );
  });

  it('deletes what no item uses, by id or name', () => {
    assert.deepEqual(change({ action: 'DELETE', id: COLOUR }), { kind: 'delete', definition: colour });
    assert.deepEqual(change({ action: 'DELETE', name: 'weight' }), { kind: 'delete', definition: weight });
    const problems = decide({ action: 'DELETE', name: 'weight' }, { usage: { [WEIGHT]: 1 } });
    assert.deepEqual(problemsOf(problems), ['ATTRIBUTE_IN_USE name']);
    assert.match(JSON.stringify(problems), /1 item holds a value/);
    assert.deepEqual(problemsOf(decide({ action: 'DELETE', id: COLOUR, name: 'Weight' })), ['FIELD_INVALID name']);
  });

  it('names what it does not find, and what was probably meant', () => {
    const problems = decide({ action: 'UPDATE', name: 'Wieght', description: 'x' });
    assert.deepEqual(problemsOf(problems), ['ATTRIBUTE_NOT_FOUND name']);
    assert.match(JSON.stringify(problems), /did you mean \\"Weight\\"/);
    assert.deepEqual(problemsOf(decide({ action: 'DELETE', id: FRESH })), ['ATTRIBUTE_NOT_FOUND id']);
  });

  it('lets files insert only what is new, and upsert into what is there', () => {
    assert.deepEqual(problemsOf(decide({ name: 'colour', type: 'TEXT' }, { action: 'INSERT' })), ['NAME_EXISTS name']);
    assert.equal(change({ name: 'New', type: 'TEXT' }, { action: 'INSERT' }).kind, 'create');
    assert.equal(change({ name: 'New', type: 'TEXT' }, { action: 'UPSERT' }).kind, 'create');
    assert.deepEqual(change({ name: 'Colour', description: 'x' }, { action: 'UPSERT' }).definition, {
      ...colour,
      description: 'x',
    });
    assert.deepEqual(problemsOf(decide({ name: 'New' }, { action: 'UPSERT' })), ['TYPE_REQUIRED type']);
  });
});

describe('usageQuestions', () => {
  it('asks for what may be deleted or retyped, also under a name that another input gives it', () => {
    const current = new AttributeSet([colour, weight]);
    const ask = (...elements: object[]) =>
      usageQuestions(
        current,
        elements.map((element) => input(element)),
      );
    assert.deepEqual(ask({ action: 'DELETE', name: 'colour' }, { action: 'UPDATE', id: WEIGHT, description: 'x' }), [
      COLOUR,
    ]);
    assert.deepEqual(ask({ name: 'Weight', type: 'DECIMAL' }, { name: 'New', type: 'TEXT' }), []);
    assert.deepEqual(ask({ action: 'UPDATE', id: WEIGHT, name: 'Mass' }, { name: 'mass', type: 'TEXT' }), [WEIGHT]);
  });
});

describe('applyAttributeChange', () => {
  it('lets later inputs see what earlier ones did', () => {
    const current = new AttributeSet([colour, weight]);
    const facts = { newId: () => FRESH, usageOf: () => 0 };
    const steps = [
      { action: 'DELETE', id: COLOUR },
      { action: 'UPDATE', id: WEIGHT, name: 'Colour' },
      { name: 'Weight', type: 'TEXT' },
    ];
    for (const step of steps)
      applyAttributeChange(current, accepted(decideAttributeChange(current, input(step), facts)));
    assert.equal(current.byName('colour')?.id, WEIGHT);
    assert.equal(current.byName('weight')?.id, FRESH);
    assert.equal(current.byId(COLOUR), undefined);
    assert.equal(current.byId(FRESH)?.position, 8);
  });
});
