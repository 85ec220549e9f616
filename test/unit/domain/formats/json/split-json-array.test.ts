/** The splitter finds the elements that JSON.parse finds, in memory and in a stream, and refuses what is no array. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { splitJsonArray } from '../../../../../src/domain/formats/json/split-json-array.js';
import { RejectedInput } from '../../../../../src/domain/formats/model/rejected-input.js';
import { runsOf } from '../../../../support/models/property-runs.js';
import { jsonRows, plan } from '../source-fixture.js';

const LIMITS = { maxElements: 1000, maxDepth: 32 };

async function slices(text: string): Promise<string[]> {
  const bytes = Buffer.from(text);
  const { start, end, count } = await splitJsonArray(bytes, LIMITS);
  assert.equal(start.length, count);
  return start.map((from, index) => bytes.toString('utf8', from, end[index]));
}

async function reasonFor(text: string | Buffer, limits = LIMITS): Promise<string> {
  try {
    await splitJsonArray(Buffer.from(text), limits);
  } catch (error) {
    assert.ok(error instanceof RejectedInput);
    return `${error.reason}: ${error.message}`;
  }
  return 'accepted';
}

/** A value written with random white space around every token. */
const written = fc
  .array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 12 })
  .chain((values) =>
    fc
      .array(fc.constantFrom('', ' ', '\n', '\r\n\t'), { minLength: 1, maxLength: 5 })
      .map((spaces) => ({ values, text: spaced(JSON.stringify(values), spaces) })),
  );

function spaced(json: string, spaces: readonly string[]): string {
  let used = 0;
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^[\]{},:"]+/g) ?? [];
  return tokens.map((token) => token + spaces[used++ % spaces.length]).join('');
}

describe('splitJsonArray', () => {
  it('gives the text of each element', async () => {
    assert.deepEqual(await slices('[{"a":"]}"},[1,[2]],"x,\\"]",-1.5e3 ,null]'), [
      '{"a":"]}"}',
      '[1,[2]]',
      '"x,\\"]"',
      '-1.5e3',
      'null',
    ]);
    assert.deepEqual(await slices(' [ ] '), []);
    assert.deepEqual(await slices('\uFEFF[1]'), ['1']);
  });

  it('lets an element with bad syntax inside through, for JSON.parse to refuse alone', async () => {
    assert.deepEqual(await slices('[{"a" 1},{"b":2}, nul]'), ['{"a" 1}', '{"b":2}', 'nul']);
  });

  it('refuses bad structure and says where', async () => {
    assert.match(await reasonFor('[1,]'), /^NOT_JSON: .*missing before the "]" at byte 3/);
    assert.match(await reasonFor('[,1]'), /^NOT_JSON: .*at byte 1/);
    assert.match(await reasonFor('[1,,2]'), /^NOT_JSON: /);
    assert.match(await reasonFor('[{} {}]'), /^NOT_JSON: .*element 0 is followed by "\{" at byte 4/);
    assert.match(await reasonFor('[{]}]'), /^NOT_JSON: .*element 0 has "]" at byte 2 where "}" must come first/);
    assert.match(await reasonFor('[1'), /^NOT_JSON: .*ends at byte 2/);
    assert.match(await reasonFor('["a'), /^NOT_JSON: /);
    assert.match(await reasonFor('[1] 2'), /^NOT_JSON: .*after the array's end, at byte 4/);
    assert.match(await reasonFor('hello'), /^NOT_JSON: .*"h" at byte 0/);
    assert.match(await reasonFor('{"a":1}'), /^NOT_AN_ARRAY: .*object/);
    assert.match(await reasonFor('12'), /^NOT_AN_ARRAY: .*single value/);
    assert.match(await reasonFor(''), /^EMPTY_FILE/);
    assert.match(await reasonFor(Buffer.from('["\xe4"]', 'latin1')), /^INVALID_ENCODING/);
  });

  it('stops at too many elements and too much depth', async () => {
    assert.match(await reasonFor('[1,2,3]', { ...LIMITS, maxElements: 2 }), /^TOO_MANY_ROWS/);
    assert.equal(await reasonFor('[1,2]', { ...LIMITS, maxElements: 2 }), 'accepted');
    assert.match(await reasonFor('[[[]]]', { ...LIMITS, maxDepth: 2 }), /^TOO_DEEP: Element 0 /);
    assert.equal(await reasonFor('[[[]]]', { ...LIMITS, maxDepth: 3 }), 'accepted');
    assert.match(await reasonFor('['.repeat(1_000_000)), /^TOO_DEEP/);
  });

  it('finds what JSON.parse finds in any array', async () => {
    const property = fc.asyncProperty(written, async ({ values, text }) => {
      assert.deepEqual(
        (await slices(text)).map((slice) => JSON.stringify(JSON.parse(slice))),
        values.map((value) => JSON.stringify(value)),
      );
    });
    await fc.assert(property, { numRuns: runsOf(400) });
  });

  it('finds the same in a stream of any blocks', async () => {
    const blocks = fc.integer({ min: 1, max: 64 });
    const property = fc.asyncProperty(written, blocks, async ({ values, text }, blockBytes) => {
      fc.pre(values.length > 0);
      const rows = jsonRows(await plan(text, { format: 'JSON', blockBytes, limits: { chunkRows: 3 } }));
      assert.deepEqual(
        rows.map(({ row, text: line }) => [row, JSON.stringify(JSON.parse(line))]),
        values.map((value, index) => [index + 1, JSON.stringify(value)]),
      );
    });
    await fc.assert(property, { numRuns: runsOf(300) });
  });

  it('accepts no text that JSON.parse refuses for its brackets or commas', async () => {
    const soup = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', ',', '"', '\\', '1', ' '), maxLength: 12 });
    const property = fc.asyncProperty(soup, async (inner) => {
      const text = `[${inner}]`;
      let valid = true;
      try {
        JSON.parse(text);
      } catch {
        valid = false;
      }
      const reason = await reasonFor(text);
      if (valid) assert.equal(reason, 'accepted');
      else if (reason === 'accepted') {
        const parts = await slices(text);
        assert.throws(() => parts.map((slice) => JSON.parse(slice)));
      }
    });
    await fc.assert(property, { numRuns: runsOf(2000) });
  });
});
