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
    assert.deepEqual(problemsOf(oneOrMore, { id: 1 }), ['id: expected string, received number']);
    assert.deepEqual(problemsOf(oneOrMore, [{ id: 'a' }, { id: 'b', parts: [{ size: 'x' }] }]), [
      '1.parts.0.size: expected number, received string',
    ]);
    assert.deepEqual(problemsOf(oneOrMore, []), ['Too small: expected array to have >=1 items']);
    assert.deepEqual(problemsOf(z.object({ things: oneOrMore }), { things: [{}] }), [
      'things.0.id: expected string, received undefined',
    ]);
  });

  it('is said of the choice when neither was meant', () => {
    assert.equal((problemsOf(oneOrMore, 'x') as string[]).length, 1);
    assert.deepEqual(problemsOf(oneOrMore, { id: 'a' }), []);
  });
});
