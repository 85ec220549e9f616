import assert from 'node:assert/strict';
import fc from 'fast-check';
import { keepOpaque } from '../../../../src/domain/kernel/keep-opaque.js';
import { OpaqueJson, writeJson } from '../../../../src/domain/kernel/opaque-json.js';

const SPACES = ['', ' ', '\n\t', '\r\n  '];

/** JSON texts of all forms: white space, escapes, long numbers, keys that occur twice. */
const anyText = fc.letrec<{ text: string }>((tie) => {
  const space = fc.constantFrom(...SPACES);
  const key = fc.constantFrom('"payload"', '"a"', '"\\u0070ayload"', '"quote \\" and : and }"');
  const scalar = fc.constantFrom(
    '1.10',
    '1e400',
    '-0',
    '12345678901234567890',
    'null',
    'true',
    '""',
    '"\\\\"',
    '"},]:"',
  );
  const member = fc
    .tuple(key, space, space, tie('text'), space)
    .map(([name, a, b, value, c]) => `${name}${a}:${b}${value}${c}`);
  return {
    text: fc.oneof(
      { maxDepth: 4 },
      scalar,
      fc.tuple(space, fc.array(member, { maxLength: 3 })).map(([s, members]) => `{${s}${members.join(`,${s}`)}}`),
      fc
        .tuple(space, fc.array(tie('text'), { maxLength: 3 }))
        .map(([s, values]) => `[${s}${values.join(`${s},`)}${s}]`),
    ),
  };
}).text;

describe('opaque JSON', () => {
  it('is the text of a member, byte for byte, whatever stands around it', () => {
    fc.assert(
      fc.property(anyText, anyText, fc.constantFrom(...SPACES), (before, payload, space) => {
        const text = `${space}{"before":${before},"payload"${space}:${space}${payload}${space},"after":[${before}]}${space}`;
        const value = JSON.parse(text);
        keepOpaque(value, text, 'payload');
        assert.equal(value.payload.text, payload);
        assert.equal(
          writeJson({ payload: value.payload, again: [value.payload] }),
          `{"payload":${payload},"again":[${payload}]}`,
        );
      }),
    );
  });

  it('is kept in each element of a list', () => {
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1, maxLength: 4 }), (payloads) => {
        const text = `[${payloads.map((payload) => `{"n":[1,2],"payload": ${payload}}`).join(' , ')}, 7, ["payload"]]`;
        const value = JSON.parse(text);
        keepOpaque(value, text, 'payload');
        assert.deepEqual(
          payloads.map((_, index) => value[index].payload.text),
          payloads,
        );
        assert.deepEqual(value.slice(payloads.length), [7, ['payload']]);
      }),
    );
  });

  it('is that of the last key, if the key occurs twice, and of a key with escapes', () => {
    const text = '{"payload":1.0,"\\u0070ayload":2.0}';
    const value = JSON.parse(text);
    keepOpaque(value, text, 'payload');
    assert.equal(value.payload.text, '2.0');
  });

  it('is not made where the member is missing, or belongs to an object further inside', () => {
    for (const text of ['{"a":{"payload":1.0}}', '[[{"payload":1.0}]]', '"payload"', 'null', '[]']) {
      const value = JSON.parse(text);
      keepOpaque(value, text, 'payload');
      assert.deepEqual(value, JSON.parse(text));
    }
  });

  it('is the parsed value for code that does not write it with writeJson', () => {
    assert.equal(JSON.stringify({ a: new OpaqueJson('1.10') }), '{"a":1.1}');
  });
});
