import assert from 'node:assert/strict';
import { decodeJson } from '../../../src/api/body/decode-json.js';
import { HttpProblem } from '../../../src/api/http-problem.js';
import { checkJsonText } from '../../../src/api/json-text.js';

describe('the text of JSON bodies', () => {
  it('names the place of a NUL and of half a surrogate pair', () => {
    assert.throws(() => checkJsonText({ a: [{ b: 'x\u0000' }] }), /a\.0\.b: contains a NUL/);
    assert.throws(() => checkJsonText({ a: '\ud800' }), /a: contains a NUL character or an unpaired surrogate/);
    assert.throws(() => checkJsonText({ '\udc00': 1 }), /the body: contains/);
    checkJsonText({ a: '😀', b: [null, 1, true, 'ok'] });
  });

  it('stops at 64 levels', () => {
    const nested = (depth: number): Buffer => Buffer.from('['.repeat(depth) + ']'.repeat(depth));
    decodeJson(nested(64));
    assert.throws(() => decodeJson(nested(66)), /nested deeper than 64/);
    assert.throws(() => decodeJson(nested(100_000)), /nested deeper than 64/);
  });

  it('refuses a member that is given more than once, at any depth, and names it', () => {
    const refused = (text: string) => {
      try {
        decodeJson(Buffer.from(text));
      } catch (error) {
        if (error instanceof HttpProblem) return [error.status, error.code, error.message];
      }
      return null;
    };
    const body = '{"fileName":"a.csv","options":{"mode":"insert","mode":"upsert"},"fileName":"b.csv"}';
    assert.deepEqual(refused(body), [
      400,
      'DUPLICATE_MEMBER',
      'the body has members that are given more than once: "mode" in "options", "fileName"; give each once',
    ]);
    assert.equal(refused('{"a":{"b":1},"b":[{"b":1},{"b":2}]}'), null);
  });

  it('accepts repeated members within an opaque member, and nowhere else', () => {
    const opaque = (text: string) => decodeJson(Buffer.from(text), 'payload');
    opaque('{"event":"A","payload":{"a":1,"a":{"b":1,"b":2}}}');
    opaque('[{"payload":{"a":1,"a":2}},{"payload":[{"a":1,"a":2}]}]');
    assert.throws(() => opaque('{"payload":1,"payload":2}'), /"payload"; give each once/);
    assert.throws(() => opaque('[{"1payload":{"a":1,"a":2}}]'), /"a" in "\[0\]\.1payload"/);
    assert.throws(() => opaque('{"other":{"payload":{"a":1,"a":2}}}'), /"a" in "other\.payload"/);
  });

  it('refuses bytes that are not UTF-8 rather than replacing them', () => {
    assert.throws(() => decodeJson(Buffer.from([0x22, 0xff, 0x22])), /not UTF-8/);
    assert.equal(decodeJson(Buffer.from('\ufeff"\ufffd"')), '\ufffd');
  });
});
