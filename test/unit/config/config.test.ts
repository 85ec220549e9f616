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

  it('opens loopback targets of webhooks only while the API itself listens on loopback', () => {
    const allowed = (HOST?: string) => loadConfig({ ...NEEDED, HOST }).webhooks.allowedNetworks;
    for (const host of [undefined, '127.0.0.1', '127.8.0.1', '::1', 'localhost'])
      assert.deepEqual(allowed(host), ['127.0.0.0/8', '::1/128'], host);
    for (const host of ['0.0.0.0', '::', '10.0.0.1', 'api.example']) assert.deepEqual(allowed(host), [], host);
  });
});
