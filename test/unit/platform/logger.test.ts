/** What the log tells of errors: where and why, and nothing that they quote. */
import assert from 'node:assert/strict';
import { createLogger } from '../../../src/platform/logger.js';

const SECRET = 'planted, with "quotes" - and a dash\n    at planted:1';

/** As knex puts it before the message. */
const STATEMENT = `with due as (select now() - interval '1 s') insert into "item" ("sku") values ($1) - `;

describe('an error in the log', () => {
  function logged(error: unknown): { text: string; err: Record<string, unknown> } {
    const lines: string[] = [];
    createLogger('test', 'info', { write: (line) => void lines.push(line) }).error({ err: error }, 'it failed');
    const text = lines.join('');
    assert.ok(!text.includes('planted'), text);
    return { text, err: JSON.parse(text).err };
  }

  it('has the message, the stack, the code and the cause of an ordinary one', () => {
    const error = Object.assign(new Error('it is broken', { cause: new Error('by this') }), { code: 'EIO' });
    const { err } = logged(error);
    assert.deepEqual([err.type, err.message, err.code], ['Error', 'it is broken', 'EIO']);
    assert.match(String(err.stack), /^Error: it is broken\n {4}at .*logger\.test/);
    assert.equal((err.cause as { message: string }).message, 'by this');
  });

  for (const [code, said, told] of [
    [
      '23514',
      'new row for relation "item" violates check constraint "some_ck"',
      /violates check constraint "some_ck"$/,
    ],
    ['22P02', `invalid input syntax for type integer: "${SECRET}"`, /invalid input syntax for type integer: "…"$/],
    ['22003', `value "${SECRET}" is out of range for type integer`, /value "…" is out of range for type integer$/],
  ] as const) {
    it(`has the statement of a query that fails with ${code}, and no row, as knex and objection throw it`, () => {
      const native = Object.assign(new Error(said), { code, detail: `Failing row contains (${SECRET}).` });
      Object.assign(native, { where: `COPY item, line 1: ${SECRET}`, table: 'item' });
      native.message = `${STATEMENT}${said}`;
      const wrapped = Object.assign(new Error(native.message), { nativeError: native });
      for (const error of [native, wrapped]) {
        const { err } = logged(error);
        assert.match(String(err.message), told);
        assert.ok(String(err.message).startsWith(STATEMENT));
        assert.match(String(err.stack), /\n {4}at .*logger\.test/);
      }
      assert.equal(logged(native).err.table, 'item');
    });
  }

  it('has no argument of a command of Redis', () => {
    const command = { name: 'auth', args: ['default', SECRET] };
    const reply = Object.assign(new Error('WRONGPASS invalid username-password pair'), { command });
    assert.match(logged(new AggregateError([reply], 'all failed')).text, /WRONGPASS/);
  });

  it('has no text that was to be an address or JSON', () => {
    for (const fails of [
      () => new URL(`http://${SECRET}`),
      () => JSON.parse(SECRET),
      () => JSON.parse(`{"${SECRET}`),
    ]) {
      assert.throws(fails, (error) => logged(error).text.includes('"stack"'));
    }
  });

  it('has nothing of what was thrown and is no error', () => {
    for (const thrown of [SECRET, { message: SECRET }]) assert.match(logged(thrown).text, /is no error/);
  });
});
