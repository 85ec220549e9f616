/** The forms of REDIS_URL, and what is said of those that are none. */
import assert from 'node:assert/strict';
import { ConfigError, loadConfig } from '../../../src/config/config.js';
import { parseRedisUrl } from '../../../src/config/redis-url.js';

const NEEDED = { DATABASE_URL: 'postgres://localhost/longshore', SECRETS_KEY: 'k'.repeat(32) };

describe('REDIS_URL', () => {
  it('names one server, servers behind Sentinels, or a Cluster, each with or without TLS', () => {
    for (const [scheme, tls] of [
      ['redis', false],
      ['rediss', true],
    ] as const) {
      const url = `${scheme}://user:p%40ss@cache.example:6380/2`;
      assert.deepEqual(parseRedisUrl(url), { kind: 'server', tls, url });
      assert.deepEqual(parseRedisUrl(`${scheme}+cluster://:p%40ss@a:7000,b,[::1]:7002`), {
        kind: 'cluster',
        tls,
        nodes: [
          { host: 'a', port: 7000 },
          { host: 'b', port: 6379 },
          { host: '::1', port: 7002 },
        ],
        username: undefined,
        password: 'p@ss',
      });
      assert.deepEqual(parseRedisUrl(`${scheme}+sentinel://u:p@a,b:26380/main/3?sentinelPassword=s%20t`), {
        kind: 'sentinel',
        tls,
        nodes: [
          { host: 'a', port: 26_379 },
          { host: 'b', port: 26_380 },
        ],
        username: 'u',
        password: 'p',
        master: 'main',
        database: 3,
        sentinelLogin: { username: undefined, password: 's t' },
      });
    }
  });

  for (const [REDIS_URL, told] of [
    ['http://a', /begins with redis:\/\//],
    ['redis://a/x', /host:port\/database, where the database is a number such as 0$/],
    ['rediss://u:p@a:6380/1/2', /the database is a number/],
    ['redis://a:1,b:2', /redis\+cluster:\/\/ or redis\+sentinel:\/\//],
    ['redis+cluster://a:1,b:2/3', /without a database/],
    ['redis+cluster://a:x', /host:port in place of "a:x"/],
    ['redis+cluster://a:70000', /host:port/],
    ['redis+sentinel://a:1', /name-of-the-primary/],
    ['redis+sentinel://a:1/main/x', /name-of-the-primary/],
    ['redis+sentinel://:%zz@a:1/main', /%40/],
  ] as const) {
    it(`refuses ${REDIS_URL} and says what was expected`, () => {
      assert.throws(
        () => loadConfig({ ...NEEDED, REDIS_URL }),
        (error) => error instanceof ConfigError && told.test(error.message) && error.message.startsWith('REDIS_URL: '),
      );
    });
  }

  it('of a Cluster needs a prefix with a hash tag, which the default has', () => {
    const REDIS_URL = 'redis+cluster://a:7000';
    assert.equal(loadConfig({ ...NEEDED, REDIS_URL }).queuePrefix, '{longshore}');
    assert.equal(loadConfig({ ...NEEDED, REDIS_URL, QUEUE_PREFIX: 'eu:{shop}' }).queuePrefix, 'eu:{shop}');
    assert.equal(loadConfig({ ...NEEDED, REDIS_URL: 'redis://a', QUEUE_PREFIX: 'shop' }).queuePrefix, 'shop');
    for (const QUEUE_PREFIX of ['shop', '{}shop', '{shop']) {
      assert.throws(() => loadConfig({ ...NEEDED, REDIS_URL, QUEUE_PREFIX }), /hash tag: set it to \{shop\}/);
    }
  });

  it('with TLS takes the certificate of an own authority, and says when the file is not there', () => {
    assert.deepEqual(loadConfig(NEEDED).redisTls, { ca: undefined, rejectUnauthorized: true });
    assert.equal(loadConfig({ ...NEEDED, REDIS_TLS_VERIFY: 'no' }).redisTls.rejectUnauthorized, false);
    assert.throws(() => loadConfig({ ...NEEDED, REDIS_CA_FILE: '/nowhere/ca.pem' }), /REDIS_CA_FILE: .*ENOENT/);
  });
});
