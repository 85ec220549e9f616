import assert from 'node:assert/strict';
import { isOutOfSpace, mayBeOfStatement, outageOf } from '../../../src/platform/outage.js';

const coded = (code: string, message = 'no') => Object.assign(new Error(message), { code });
const named = (name: string) => Object.assign(new Error('no'), { name });

describe('an outage of a part', () => {
  for (const [part, what, error] of [
    ['file store', 'a full disk', coded('ENOSPC')],
    ['file store', 'an exhausted quota', coded('EDQUOT')],
    ['file store', 'a failing disk', coded('EIO')],
    ['file store', 'a disk that became read-only', coded('EROFS')],
    ['file store', 'a mount that went stale', coded('ESTALE')],
    ['file store', 'a folder that is gone', coded('STORE_UNAVAILABLE')],
    ['file store', 'a store that answers 503', Object.assign(new Error('no'), { statusCode: 503 })],
    ['file store', 'a deadline', named('TimeoutError')],
    ['database', 'a refused connection', coded('ECONNREFUSED')],
    ['database', 'a connection that was reset', coded('ECONNRESET')],
    ['database', 'the deadline of a silent connection', coded('ETIMEDOUT')],
    ['database', 'a connection that was lost', new Error('COMMIT; - Connection terminated unexpectedly')],
    ['database', 'a connection exception', coded('08006')],
    ['database', 'too many connections', coded('53300')],
    ['database', 'the full disk of Postgres', coded('53100')],
    ['database', 'the failing disk of Postgres', coded('58030')],
    ['database', 'a shutdown by an administrator', coded('57P01')],
    ['database', 'a crash of another session', coded('57P02')],
    ['database', 'a database that starts up', coded('57P03')],
    ['database', 'a standby after a failover', coded('25006')],
    ['database', 'a pool without a free connection', named('KnexTimeoutError')],
    ['queue', 'a Redis that does not answer', named('MaxRetriesPerRequestError')],
    ['queue', 'a connection to Redis that is closed', new Error('Connection is closed.')],
    ['queue', 'a queue that answers too late', new Error('the queue did not answer in time')],
  ] as const) {
    it(`is ${what}: the ${part}`, () => assert.equal(outageOf(error), part));
  }

  it('is found inside of other errors', () => {
    assert.equal(outageOf(new AggregateError([new Error('x'), coded('ECONNREFUSED')])), 'database');
    assert.equal(outageOf(Object.assign(named('DBError'), { nativeError: coded('57P01') })), 'database');
  });

  for (const [what, error] of [
    ['a missing file', coded('ENOENT')],
    ['a refused statement', coded('23505')],
    ['a deadlock', coded('40P01')],
    ['a statement that was cancelled', coded('57014')],
    ['a statement that needs too much memory', coded('53200')],
    ['an error whose text quotes a client', coded('22P02', 'x - Connection terminated')],
    ['any other error', new TypeError('x is not a function')],
    ['what is no error', 'Connection terminated'],
  ] as const) {
    it(`is not ${what}`, () => assert.equal(outageOf(error), null));
  }

  it('of the database may be the fault of a statement only if that may have ended its own session', () => {
    const connect = { syscall: 'connect' };
    const lost = new Error('COMMIT; - Connection terminated unexpectedly');
    const own = [coded('ECONNRESET'), coded('58030'), coded('25P03'), lost];
    const others = [
      ...['53300', '53100', '57P01', '57P02', '57P03', '57P05', '08006', '25006', 'ECONNREFUSED'].map((code) =>
        coded(code),
      ),
      ...[Object.assign(coded('ETIMEDOUT'), connect), Object.assign(coded('ECONNRESET'), connect)],
      ...[named('KnexTimeoutError'), new Error('timeout exceeded when trying to connect')],
    ];
    const inside = Object.assign(named('DBError'), { nativeError: lost });
    assert.deepEqual([...own, inside].map(mayBeOfStatement), Array(5).fill(true));
    assert.deepEqual(others.map(mayBeOfStatement), Array(others.length).fill(false));
  });

  it('by want of space is told from others, because a small write may succeed all the same', () => {
    assert.deepEqual(
      ['ENOSPC', 'EDQUOT', '53100', 'STORE_FULL', 'EIO', '53300'].map((code) => isOutOfSpace(coded(code))),
      [true, true, true, true, false, false],
    );
  });
});
