/** Generated from the registry of routes: every member of every request, misspelt and with values of other types. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { siteContextSchema } from '../../../src/api/input/parse-site-context.js';
import { routes } from '../../../src/api/routes/index.js';
import { validate } from '../../../src/api/validate.js';
import { DomainError, type ErrorProblem } from '../../../src/domain/kernel/errors.js';
import { OpaqueJson } from '../../../src/domain/kernel/opaque-json.js';
import {
  around,
  misspellings,
  partOf,
  partsOf,
  type RequestPart,
  VALIDATOR_TEXT,
} from '../../support/models/request-members.js';

const parts: readonly { readonly of: string; readonly part: RequestPart }[] = [
  ...routes.flatMap((route) => partsOf(route).map((part) => ({ of: `${route.method} ${route.path}`, part }))),
  { of: 'the header', part: partOf('x-site-context', siteContextSchema) },
];

function problemsOf({ part, schema }: RequestPart, value: unknown): readonly ErrorProblem[] {
  try {
    validate(schema, value, part === 'query' ? 'query' : 'body');
  } catch (error) {
    assert.ok(error instanceof DomainError, String(error));
    assert.equal(error.kind, 'invalid');
    assert.doesNotMatch(error.message, VALIDATOR_TEXT);
    return error.problems;
  }
  return [];
}

/** Values of every type, and at the edges of what schemas accept. */
const ODD_VALUES: readonly unknown[] = [
  ...[undefined, null, true, -1, 0, 1.5, 1e300, 2 ** 40, '', ' ', 'x', 'a\u0000b', '\ud800', 'x'.repeat(5_000)],
  ...[[], [null], [[]], [1, 1], ['x', 'x'], [{}], {}, { x: 1 }, new Array(20_000).fill('x')],
];

describe('every request of the registry', () => {
  it('has members that can be misspelt', () => {
    const count = parts.reduce((sum, { part }) => sum + part.members.length, 0);
    assert.ok(count > 200, String(count));
  });

  for (const { of, part } of parts) {
    const name = `${of}: its ${part.part}`;

    it(`${name} refuses each misspelt member, with its path and the near name`, () => {
      for (const member of part.members) {
        for (const misspelt of misspellings(member)) {
          const problems = problemsOf(part, around(member.parent, { [misspelt]: 'x' }));
          const path = [...member.parent, misspelt].join('.');
          const problem = problems.find((one) => one.path === path);
          assert.match(problem?.message ?? `${path} is accepted`, /did you mean "|it belongs under "/, path);
          if (misspelt.toLowerCase() === member.name.toLowerCase()) {
            assert.ok(problem?.message.includes(`"${member.name}"`), problem?.message);
          }
        }
      }
    });

    it(`${name} is told what is wrong in no words of the validator`, () => {
      for (const value of ODD_VALUES) check(value);
      for (const { parent, name: field } of part.members) {
        for (const value of ODD_VALUES) check(around(parent, { [field]: value }));
      }
      fc.assert(fc.property(fc.jsonValue(), check), { numRuns: 50 });
    });

    it(`${name} has no object that ignores members`, () => {
      // RFC 6749 §3.2 demands that unknown parameters of the token endpoint are ignored.
      assert.deepEqual(part.open, part.part === 'form' ? ['(root)'] : []);
    });

    function check(value: unknown): void {
      for (const { message } of problemsOf(part, value)) {
        assert.doesNotMatch(message, VALIDATOR_TEXT);
        assert.ok(message.length > 0);
      }
    }
  }
});

describe('an unknown member', () => {
  const body = (path: string): RequestPart => {
    const found = parts.find(({ of, part }) => of === path && part.part === 'body');
    assert.ok(found);
    return found.part;
  };
  const told = (of: string, value: unknown): string[] =>
    problemsOf(body(of), value).map(({ path, message }) => `${path}: ${message}`);

  it('that an object beside it has is said to belong there', () => {
    const file = { fileName: 'v.csv', fileType: 'ITEM_IMPORT' };
    assert.deepEqual(told('POST /files/product', { ...file, validateOnly: true, mode: 'insert', onErorr: 'abort' }), [
      'validateOnly: there is no field "validateOnly": it belongs under "options"',
      'mode: there is no field "mode": it belongs under "options"',
      'onErorr: there is no field "onErorr": did you mean "onError" under "options"?',
    ]);
  });

  const webhook = { target: 'https://example.com/hook', protocol: 'HTTPS', source: 'OMS', events: ['ORDER_CREATED'] };
  for (const [of, value, path, name] of [
    ['POST /api-category/v1/category', { name: 'Disk', actve: false }, 'actve', 'active'],
    ['POST /api/v2/webhook', { ...webhook, targetApikey: 'k' }, 'targetApikey', 'targetApiKey'],
    ['POST /api/v2/webhook', { ...webhook, callbackurl: 'https://example.com' }, 'callbackurl', 'callbackUrl'],
    ['PATCH /api/v2/webhook/:webhookId', { evnets: ['ORDER_CREATED'] }, 'evnets', 'events'],
    [
      'POST /api/v2/event',
      { source: 'OMS', event: 'A', payload: new OpaqueJson('1'), ordernumber: 'x' },
      'ordernumber',
      'orderNumber',
    ],
    ['POST /item-import-templates', { fromat: 'XLSX' }, 'fromat', 'format'],
  ] as const) {
    it(`such as ${path} is refused, and nothing else of the request`, () => {
      assert.deepEqual(told(of, value), [`${path}: there is no field "${path}": did you mean "${name}"?`]);
    });
  }

  it('that is the beginning of a known one is completed', () => {
    assert.deepEqual(
      told('POST /files/product', { fileName: 'v.csv', fileType: 'ITEM_IMPORT', options: { decimal: ',' } }),
      ['options.decimal: there is no field "decimal": did you mean "decimalSeparator"?'],
    );
  });

  it('that is like none is told which there are', () => {
    assert.deepEqual(told('POST /attribute-import-templates', { colour: 'red' }), [
      'colour: there is no field "colour": the fields are format',
    ]);
  });
});
