import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseAttributeInput } from '../../../../../src/domain/catalog/attributes/parse-attribute-input.js';
import { isStorable } from '../../../../../src/domain/kernel/characters.js';
import { accepted, problemsOf } from './attribute-fixture.js';

const parsed = (element: unknown) => problemsOf(parseAttributeInput(element));
const text = (fields: object) => ({ name: 'Title', type: 'TEXT', ...fields });

describe('parseAttributeInput', () => {
  it('reads a whole element; CREATE is the default and names are trimmed and composed', () => {
    const element = {
      name: ' Cafe\u0301 ',
      type: 'TEXT',
      textSubType: 'HTML',
      description: 'What it is',
      locales: [{ locale: 'de-DE', name: ' Titel ' }],
      mapping: 'title',
      validation: { required: true, pattern: '^[A-Z]', maxLength: 80, oneOf: ['A', 'B'] },
    };
    const input = accepted(parseAttributeInput(element));
    assert.equal(input.action, 'CREATE');
    assert.equal(input.name, 'Café');
    assert.deepEqual(input.mappings, ['title']);
    assert.deepEqual(input.draft.locales, [{ locale: 'de-DE', name: 'Titel' }]);
    assert.equal(input.draft.validation?.pattern, '^[A-Z]');
  });

  it('takes null and empty text as nothing, which an UPDATE clears', () => {
    accepted(
      parseAttributeInput({ name: 'A', type: 'TEXT', description: '', formula: null, options: null, validation: null }),
    );
    const input = accepted(
      parseAttributeInput({ action: 'UPDATE', name: 'A', format: '', validation: { pattern: '' } }),
    );
    assert.equal(input.draft.format, null);
    assert.equal(input.draft.validation?.pattern, null);
    assert.equal(input.draft.validation?.contains, undefined);
  });

  it('refuses what is no object', () => {
    for (const element of [null, 5, 'x', [], true]) assert.deepEqual(parsed(element), ['ROW_NOT_OBJECT null']);
  });

  it('refuses names that are missing, reserved, too long or not printable', () => {
    assert.deepEqual(parsed({ type: 'TEXT' }), ['NAME_REQUIRED name']);
    assert.deepEqual(parsed({ name: '  ', type: 'TEXT' }), ['NAME_REQUIRED name']);
    assert.deepEqual(parsed(text({ name: '_row' })), ['NAME_RESERVED name']);
    assert.deepEqual(parsed(text({ name: ' sku ' })), ['NAME_RESERVED name']);
    assert.deepEqual(parsed(text({ name: 'x'.repeat(256) })), ['FIELD_INVALID name']);
    for (const name of ['a\nb', 'a\u0000', 'a\u2028b', '\ud800'])
      assert.deepEqual(parsed(text({ name })), ['INVALID_TEXT name']);
    assert.deepEqual(parsed(text({ name: 5 })), ['FIELD_INVALID name']);
  });

  it('refuses a new attribute without a type, and types that there are not', () => {
    assert.deepEqual(parsed({ name: 'A' }), ['TYPE_REQUIRED type']);
    const problems = parseAttributeInput({ name: 'A', type: 'TEXTT' });
    assert.ok(Array.isArray(problems) && /did you mean TEXT\?/.test(problems[0]?.message ?? ''));
  });

  it('refuses formulas', () => {
    assert.deepEqual(parsed(text({ formula: 'a+b' })), ['FORMULA_NOT_SUPPORTED formula']);
    assert.deepEqual(parsed(text({ formula: {} })), ['FORMULA_NOT_SUPPORTED formula']);
  });

  it('refuses unknown fields with the nearest known one', () => {
    const problems = parseAttributeInput(
      text({ validations: {}, validation: { requird: true, range: { minimum: 1 } } }),
    );
    assert.ok(Array.isArray(problems));
    const messages = problems.map(({ message }) => message).join('\n');
    for (const hint of ['did you mean "validation"?', 'did you mean "required"?', 'the fields are min, max']) {
      assert.ok(messages.includes(hint), messages);
    }
    assert.deepEqual(
      new Set(problemsOf(problems)),
      new Set([
        'FIELD_INVALID validations',
        'FIELD_INVALID validation.requird',
        'FIELD_INVALID validation.range.minimum',
      ]),
    );
  });

  it('refuses fields of a wrong type or size by their path', () => {
    const cases: [object, string][] = [
      [{ validation: { required: 'yes' } }, 'validation.required'],
      [{ validation: { maxLength: 0 } }, 'validation.maxLength'],
      [{ validation: { maxLength: 1.5 } }, 'validation.maxLength'],
      [{ validation: { oneOf: ['a', true] } }, 'validation.oneOf[1]'],
      [{ validation: 5 }, 'validation'],
      [{ locales: [{ locale: 'not a tag', name: 'x' }] }, 'locales[0].locale'],
      [{ locales: [{ locale: 'fr', name: '' }] }, 'locales[0].name'],
      [
        {
          locales: [
            { locale: 'fr', name: 'a' },
            { locale: 'FR', name: 'b' },
          ],
        },
        'locales[1].locale',
      ],
      [{ mapping: 'price' }, 'mapping'],
      [{ mapping: ['sku', 'price'] }, 'mapping[1]'],
      [{ mapping: 5 }, 'mapping'],
      [{ textSubType: 'RICH' }, 'textSubType'],
      [{ id: '65a1b2c3d4e5f60718293a4b' }, 'id'],
      [{ description: 'x'.repeat(10_001) }, 'description'],
    ];
    for (const [fields, path] of cases) assert.deepEqual(parsed(text(fields)), [`FIELD_INVALID ${path}`], path);
    assert.deepEqual(parsed(text({ description: 'a\u0000' })), ['INVALID_TEXT description']);
    assert.deepEqual(parsed(text({ validation: { oneOf: ['a\ud800'] } })), ['INVALID_TEXT validation.oneOf[0]']);
  });

  it('refuses patterns that are no RE2 or repeat too much', () => {
    for (const pattern of ['(', '(?=a)', '\\1', 'a{1001}', '(a|b|ab|ba){0,400}(a|b){400}', '[ab]*a[ab]{600}[cd]']) {
      assert.deepEqual(parsed(text({ validation: { pattern } })), ['FIELD_INVALID validation.pattern'], pattern);
    }
  });

  it('refuses fields that belong to another type', () => {
    assert.deepEqual(
      parsed({ name: 'A', type: 'BOOLEAN', options: ['x'], validation: { maxLength: 5, incrementBy: 2 } }),
      ['FIELD_INVALID options', 'FIELD_INVALID validation.incrementBy', 'FIELD_INVALID validation.maxLength'],
    );
    accepted(parseAttributeInput({ name: 'A', type: 'BOOLEAN', options: [], validation: { range: {}, oneOf: [] } }));
  });

  it('refuses ranges that allow nothing or whose ends are not of the type', () => {
    const range = (type: string, min: unknown, max?: unknown) =>
      parsed({ name: 'A', type, validation: { range: { min, max } } });
    assert.deepEqual(range('INTEGER', 5, 4), ['FIELD_INVALID validation.range']);
    assert.deepEqual(range('DECIMAL', '10', '9.5'), ['FIELD_INVALID validation.range']);
    assert.deepEqual(range('DATETIME', '2024-01-02', '2024-01-01'), ['FIELD_INVALID validation.range']);
    assert.deepEqual(range('INTEGER', 1.5), ['FIELD_INVALID validation.range.min']);
    assert.deepEqual(range('DATETIME', 5, '31.12.2024'), [
      'FIELD_INVALID validation.range.min',
      'FIELD_INVALID validation.range.max',
    ]);
    assert.deepEqual(range('INTEGER', 4, 4), []);
  });

  it('refuses OPTIONS without options, with one twice, or with one that is not of their type', () => {
    const options = (fields: object) => parsed({ name: 'A', type: 'OPTIONS', ...fields });
    assert.deepEqual(options({}), ['FIELD_INVALID options']);
    assert.deepEqual(options({ options: [] }), ['FIELD_INVALID options']);
    assert.deepEqual(options({ options: ['a', 'b', 'a'] }), ['FIELD_INVALID options[2]']);
    assert.deepEqual(options({ options: ['a', ''] }), ['FIELD_INVALID options[1]']);
    assert.deepEqual(options({ options: [5] }), ['FIELD_INVALID options[0]']);
    assert.deepEqual(options({ optionsType: 'INTEGER', options: [5, '05'] }), ['FIELD_INVALID options[1]']);
    assert.deepEqual(options({ optionsType: 'DECIMAL', options: [5, '5.5'] }), []);
  });

  it('refuses date formats that leave something open', () => {
    assert.deepEqual(parsed({ name: 'A', type: 'DATETIME', format: 'dd/mm/yyyy' }), ['FIELD_INVALID format']);
    assert.deepEqual(parsed({ name: 'A', type: 'DATETIME', format: 'dd/MM/yyyy' }), []);
  });

  it('refuses serial numbers that do not count up by whole steps', () => {
    assert.deepEqual(parsed({ name: 'A', type: 'SERIAL', serialStart: 1.5 }), ['FIELD_INVALID serialStart']);
    assert.deepEqual(parsed({ name: 'A', type: 'SERIAL', validation: { incrementBy: 0 } }), [
      'FIELD_INVALID validation.incrementBy',
    ]);
    assert.deepEqual(parsed({ name: 'A', type: 'SERIAL', serialStart: 100, validation: { incrementBy: 5 } }), []);
  });

  it('asks UPDATE and DELETE for an id or a name', () => {
    assert.deepEqual(parsed({ action: 'UPDATE', description: 'x' }), ['NAME_REQUIRED name']);
    assert.deepEqual(parsed({ action: 'DELETE' }), ['NAME_REQUIRED name']);
    assert.deepEqual(parsed({ action: 'DELETE', id: 'ABC' }), ['FIELD_INVALID id']);
    assert.deepEqual(parsed({ action: 'UPDATE', id: '65a1b2c3d4e5f60718293a4b', type: null }), ['FIELD_INVALID type']);
    assert.deepEqual(parsed({ action: 'DELETE', id: '65a1b2c3d4e5f60718293a4b' }), []);
    assert.deepEqual(parsed({ action: 'REMOVE', name: 'A' }), ['FIELD_INVALID action']);
    assert.deepEqual(parsed({ action: 'UPSERT', name: 'A' }), ['FIELD_INVALID action']);
  });

  it('tells the faults of name, fields and locales together', () => {
    assert.deepEqual(parsed(text({ name: 'SKU', description: 5, validation: { maxLength: 0 } })), [
      'NAME_RESERVED name',
      'FIELD_INVALID description',
      'FIELD_INVALID validation.maxLength',
    ]);
  });

  it('judges any JSON without throwing, in texts that can be stored', () => {
    const fields = fc.record(
      Object.fromEntries(
        ['action', 'id', 'name', 'type', 'options', 'optionsType', 'validation', 'locales', 'format'].map((name) => [
          name,
          fc.jsonValue(),
        ]),
      ),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fields), (element) => {
        const input = parseAttributeInput(element);
        for (const { message, value = '' } of Array.isArray(input) ? input : []) {
          assert.ok(isStorable(message) && isStorable(value));
          assert.ok(value.length <= 200);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
