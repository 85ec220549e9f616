/** The configuration: variables in, what they mean out. */
import assert from 'node:assert/strict';
import { ConfigError, loadConfig } from '../../../src/config/config.js';

const NEEDED = { DATABASE_URL: 'postgres://localhost/longshore', SECRETS_KEY: 'k'.repeat(32) };

describe('the configuration', () => {
  it('has rows read fast, unless told to read them plainly', () => {
    const readerOf = (IMPORT_READER?: string) => loadConfig({ ...NEEDED, IMPORT_READER }).importReader;
    assert.equal(readerOf(), 'fast');
    assert.equal(readerOf(''), 'fast');
    assert.equal(readerOf('fast'), 'fast');
    assert.equal(readerOf('plain'), 'plain');
    assert.throws(
      () => readerOf('slow'),
      (error) => error instanceof ConfigError && error.message === 'IMPORT_READER: expected fast or plain, got "slow"',
    );
  });
});
