import assert from 'node:assert/strict';
import { z } from 'zod';
import { validate } from '../../../src/api/validate.js';

const thing = z.strictObject({ id: z.string(), parts: z.array(z.object({ size: z.int() })).optional() });
const oneOrMore = z.union([thing, z.array(thing).min(1)]);

function problemsOf(schema: z.ZodType, value: unknown): unknown {
  try {
    validate(schema, value, 'body');
  } catch (error) {
    return (error as { problems: { path?: string; message: string }[] }).problems.map(({ path, message }) =>
      path === undefined ? message : `${path}: ${message}`,
    );
  }
  return [];
}

describe('what is wrong with one thing or an array of them', () => {
  it('is said of the one that was meant', () => {
    assert.deepEqual(problemsOf(oneOrMore, { id: 1 }), ['id: must be a text, not the number 1']);
    assert.deepEqual(problemsOf(oneOrMore, [{ id: 'a' }, { id: 'b', parts: [{ size: 'x' }] }]), [
      '1.parts.0.size: must be a whole number, not the text "x"',
    ]);
    assert.deepEqual(problemsOf(oneOrMore, []), ['is empty: give at least one entry']);
    assert.deepEqual(problemsOf(z.object({ things: oneOrMore }), { things: [{}] }), [
      'things.0.id: is missing: give a text',
    ]);
  });

  it('is said of the choice when neither was meant', () => {
    assert.equal((problemsOf(oneOrMore, 'x') as string[]).length, 1);
    assert.deepEqual(problemsOf(oneOrMore, { id: 'a' }), []);
  });
});

describe('a query parameter', () => {
  it('that is given twice, but accepts one value, is refused for that', () => {
    assert.throws(
      () => validate(z.strictObject({ status: z.enum(['LIVE', 'DRAFT']) }), { status: ['LIVE', 'LIVE'] }, 'query'),
      /status: is given 2 times: give it once/,
    );
  });

  it('with one wrong value of several is named by its name alone', () => {
    assert.throws(
      () => validate(z.strictObject({ type: z.array(z.enum(['ITEM'])) }), { type: ['ITEM', 'ITEMS'] }, 'query'),
      /type: must be ITEM, not the text "ITEMS": did you mean "ITEM"\?/,
    );
  });
});
