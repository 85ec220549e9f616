import assert from 'node:assert/strict';
import { isLockedOut } from '../../../db/with-retries.js';
import { isOutage } from '../../../src/api/outage.js';

const coded = (message: string, code: string) => Object.assign(new Error(message), { code });

describe('an outage', () => {
  for (const message of [
    'Connection terminated',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
    'ROLLBACK - Connection terminated unexpectedly',
    'select * from "job" where "id" = $1 - Connection terminated unexpectedly',
    'update "file" set "name" = $1 - Client has encountered a connection error and is not queryable',
  ]) {
    it(`is told by the words of the driver, with the statement or without: ${message}`, () => {
      assert.ok(isOutage(new Error(message)));
    });
  }

  it('is told by the code of the system or of the database', () => {
    for (const code of ['ECONNREFUSED', 'ENOSPC', 'ENOTDIR', 'EEXIST', 'EACCES', '57P01', '08006', '53300', '40P01']) {
      assert.ok(isOutage(coded('BEGIN; - no', code)), code);
    }
  });

  it('is told by what an error was made of', () => {
    assert.ok(isOutage(new AggregateError([coded('no', 'ECONNREFUSED')])));
    assert.ok(isOutage(Object.assign(new Error('no'), { name: 'DBError', nativeError: coded('no', '57P01') })));
  });

  it('is not what a long job has locked', () => {
    const error = coded('canceling statement due to lock timeout', '55P03');
    assert.deepEqual([isOutage(error), isLockedOut(error)], [false, true]);
    assert.ok(isLockedOut(Object.assign(new Error('no'), { name: 'DBError', nativeError: error })));
  });

  it('is no fault of ours, and no text that a client sent', () => {
    for (const error of [
      new Error('no'),
      new TypeError('Connection terminated is not a function'),
      coded('insert - invalid input syntax for type json: "x - Connection terminated', '22P02'),
      coded('select - x - Connection terminated', '22P02'),
      'Connection terminated',
      null,
    ]) {
      assert.ok(!isOutage(error), String(error));
    }
  });
});
