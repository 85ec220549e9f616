/** JSON rows are parsed without loss: digits stay, and members that are given more than once are reported. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseExactJson } from '../../../../../src/domain/formats/json/exact-json.js';
import { parseJsonRow } from '../../../../../src/domain/formats/json/json-rows.js';
import { plainNumbers, WrittenNumber } from '../../../../../src/domain/kernel/written-number.js';

/** A JSON text, and the members that it repeats as `within/name`. */
interface Sample {
  readonly text: string;
  readonly repeated: readonly string[];
}

const space = fc.constantFrom('', '', ' ', '\t', '\r ');
const name = fc.oneof(
  fc.constantFrom('a', 'b', '__proto__', '1', 'say \\"x\\"', '\\\\', '\\u0061:', '{', '"'.replace('"', '\\"')),
  fc.string({ maxLength: 3 }).map((given) => JSON.stringify(given.toWellFormed()).slice(1, -1)),
);
const scalar = fc.oneof(
  fc.constantFrom('true', 'false', 'null', '0', '-0', '1.0', '1e400', '12345678901234567890', '"a:\\\\\\"b"', '""'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((given) => JSON.stringify(given)),
  fc.string().map((given) => JSON.stringify(given.toWellFormed())),
);

function sampleAt(depth: number, within: string): fc.Arbitrary<Sample> {
  const leaf = scalar.map((text): Sample => ({ text, repeated: [] }));
  if (depth === 0) return leaf;
  const member = name.chain((key) => {
    const plain: string = JSON.parse(`"${key}"`);
    return sampleAt(depth - 1, within === '' ? plain : `${within}.${plain}`).map((value) => ({ key, plain, value }));
  });
  const object = fc.tuple(fc.array(member, { maxLength: 4 }), space).map(([members, gap]): Sample => {
    const names = members.map(({ plain }) => plain);
    const twice = new Set(names.filter((one, index) => names.indexOf(one) !== index));
    return {
      text: `{${gap}${members.map(({ key, value }) => `"${key}"${gap}:${gap}${value.text}${gap}`).join(`,${gap}`)}}`,
      repeated: [...members.flatMap(({ value }) => value.repeated), ...[...twice].map((one) => `${within}/${one}`)],
    };
  });
  const array = fc.tuple(space, sampleAt(depth - 1, `${within}[0]`), leaf).map(
    ([gap, first, second]): Sample => ({
      text: `[${gap}${first.text}${gap},${gap}${second.text}]`,
      repeated: first.repeated,
    }),
  );
  return fc.oneof({ weight: 2, arbitrary: leaf }, { weight: 4, arbitrary: object }, { weight: 1, arbitrary: array });
}
const sample = sampleAt(3, '');

/** Every number as a double, as JSON.parse reads it. */
function rounded(value: unknown): unknown {
  if (value instanceof WrittenNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, rounded(member)]));
}

describe('parseExactJson', () => {
  it('reports every member that an object has more than once, and keeps none of it', () => {
    fc.assert(
      fc.property(sample, ({ text, repeated }) => {
        const parsed = parseExactJson(text);
        assert.deepEqual(parsed.repeated.map((one) => `${one.within}/${one.name}`).sort(), [...repeated].sort(), text);
        if (repeated.length === 0) assert.deepEqual(rounded(parsed.value), JSON.parse(text), text);
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps the digits of a number wherever it is', () => {
    const { value } = parseExactJson('{"a":[1, {"b": 19.999999999999999999 }],"c":-0,"d":2.5}');
    assert.deepEqual(value, {
      a: [1, { b: new WrittenNumber('19.999999999999999999') }],
      c: new WrittenNumber('-0'),
      d: 2.5,
    });
  });

  it('refuses what is not JSON', () => {
    for (const text of ['{"a":01}', '{"a":1.}', '{"a"}', '[1,]', '{"a":1}}', '']) {
      assert.throws(() => parseExactJson(text), SyntaxError, text);
    }
  });
});

describe('plainNumbers', () => {
  it('makes a double of a number that has its value, and a text of one that has not', () => {
    const { value } = parseExactJson('{"a":[1.0,1e3],"b":{"c":0.1000000000000000001,"d":1e400},"e":-0}');
    assert.deepEqual(plainNumbers(value), { a: [1, 1000], b: { c: '0.1000000000000000001', d: '1e400' }, e: 0 });
  });
});

describe('a row of JSON', () => {
  it('that repeats members fails, and its problem names them', () => {
    const { element, problem } = parseJsonRow(3, '{"sku":"a","sku":"b","attributes":{"Price":1,"Price":2}}');
    assert.deepEqual(element, { attributes: {} });
    assert.equal(problem?.code, 'DUPLICATE_MEMBER');
    assert.equal(problem?.column, 'Price');
    assert.match(problem?.message ?? '', /"Price" in "attributes", "sku"; give each once/);
  });
});
