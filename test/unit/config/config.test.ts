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

  it('refuses what looks like an address, a number or a schema and is none', () => {
    const refuses = (variable: string, value: string, expected: RegExp) =>
      assert.throws(
        () => loadConfig({ ...NEEDED, [variable]: value }),
        (error) =>
          error instanceof ConfigError && error.message.startsWith(`${variable}: `) && expected.test(error.message),
        `${variable}=${value}`,
      );
    for (const text of ['postgres:x', 'postgresql:longshore', 'postgres:/x'])
      refuses('DATABASE_URL', text, /begins with postgres:\/\/ or postgresql:\/\/$/);
    refuses('OTEL_EXPORTER_OTLP_ENDPOINT', 'http:collector:4318', /begins with http:\/\//);
    for (const text of ['0x1f', '0b11', '0o17', '+0x1f', '1,000', '12 MB'])
      refuses('WORKER_PLAN_CONCURRENCY', text, /expected a whole number from 1 to 100/);
    refuses('WEBHOOK_SCHEDULE_SECONDS', '0,0x5', /separated by commas, such as 0,5,300/);
    for (const text of ['x'.repeat(64), '1queue', 'my-queue', '{longshore}', 'Queue_2', 'public', 'pg_queue'])
      refuses('QUEUE_PREFIX', text, /expected the name of a schema for the queues alone: 1 to 63 small letters/);
  });

  it('takes addresses, numbers and prefixes in every form that means what it says', () => {
    for (const DATABASE_URL of [
      'postgres://localhost/longshore',
      'POSTGRESQL://u@h/d',
      'postgres:///d?host=/run/postgresql',
    ])
      assert.equal(loadConfig({ ...NEEDED, DATABASE_URL }).databaseUrl, DATABASE_URL);
    // As some deploy tools write large numbers.
    for (const UPLOAD_MAX_MB of ['1048576', '1.048576e+06', ' 1048576.0 '])
      assert.equal(loadConfig({ ...NEEDED, UPLOAD_MAX_MB }).uploadMaxBytes, 1_048_576 * 1024 * 1024);
    for (const QUEUE_PREFIX of ['bullmq', 'queue_2', '_q', 'x'.repeat(63)])
      assert.equal(loadConfig({ ...NEEDED, QUEUE_PREFIX }).queuePrefix, QUEUE_PREFIX);
    const onRedis = { ...NEEDED, REDIS_URL: 'redis://a' };
    for (const QUEUE_PREFIX of ['{shop}:queue', 'x'.repeat(64)])
      assert.equal(loadConfig({ ...onRedis, QUEUE_PREFIX }).queuePrefix, QUEUE_PREFIX);
    for (const REDIS_URL of ['redis://a', 'redis://a/', 'redis://a:1/15', 'rediss://u:p@a/0/', 'redis://a/3?family=6'])
      assert.equal(loadConfig({ ...NEEDED, REDIS_URL }).redisUrl, REDIS_URL);
  });

  it('reads where the files are in S3, and needs no shared folder then', () => {
    const read = (STORAGE_URL: string, over = {}) => loadConfig({ ...NEEDED, STORAGE_URL, ...over }).storage.s3;
    assert.deepEqual(read('s3://bucket'), {
      bucket: 'bucket',
      prefix: '',
      endpoint: undefined,
      publicEndpoint: undefined,
      region: undefined,
      pathStyle: false,
      direct: true,
      partBytes: 8 * 1024 * 1024,
    });
    const elsewhere =
      's3://bucket/a/b/?endpoint=http://127.0.0.1:9000&publicEndpoint=https://files.example&direct=false&partKiB=5120';
    assert.deepEqual(read(elsewhere, { NODE_ENV: 'production', PUBLIC_URL: 'https://api.example' }), {
      bucket: 'bucket',
      prefix: 'a/b/',
      endpoint: 'http://127.0.0.1:9000',
      publicEndpoint: 'https://files.example',
      region: 'us-east-1',
      pathStyle: true,
      direct: false,
      partBytes: 5 * 1024 * 1024,
    });
    assert.equal(read('s3://bucket?region=eu-north-1', { AWS_REGION: 'eu-west-1' })?.region, 'eu-north-1');
    assert.equal(read('s3://bucket', { AWS_DEFAULT_REGION: 'eu-west-1' })?.region, 'eu-west-1');
  });

  it('says what is wrong with the address of a bucket, and does not repeat a secret', () => {
    const wrong = {
      's3://?endpoint=http://127.0.0.1': /names no bucket/,
      's3://key:secret@bucket':
        /^STORAGE_URL: holds credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead$/,
      's3://bucket?endpiont=secret':
        /unknown parameter; there are endpoint, publicEndpoint, region, pathStyle, direct, partKiB$/,
      's3://bucket?endpoint=secret': /expected endpoint=https:\/\/host or http:\/\/host:port/,
      's3://bucket?partKiB=0': /expected partKiB as a whole number from 1 to 1048576/,
      's3://bucket?direct=secret': /expected direct=true or false/,
    };
    for (const [STORAGE_URL, message] of Object.entries(wrong)) {
      assert.throws(
        () => loadConfig({ ...NEEDED, STORAGE_URL }),
        (error: Error) => message.test(error.message) && !error.message.includes('secret'),
        STORAGE_URL,
      );
    }
  });

  it('reads the path of a folder for files, and takes nothing else for one', () => {
    const directory = (STORAGE_URL: string) => loadConfig({ ...NEEDED, STORAGE_URL }).storage.directory;
    assert.equal(directory('file:///srv/our%20files'), '/srv/our files');
    assert.equal(directory('file://localhost/srv/files'), '/srv/files');
    for (const wrong of [
      'file://srv/files',
      'file:files',
      'file:///',
      'file:///.',
      'file:///srv/../..',
      'file:///a%ZZ',
      'file:///a%2Fb',
      'file:///a?b',
    ]) {
      assert.throws(
        () => directory(wrong),
        (error) => error instanceof ConfigError && /^STORAGE_URL: expected the whole path/.test(error.message),
        wrong,
      );
    }
  });

  it('reads networks, and none that would be another one than it looks', () => {
    for (const name of ['TRUSTED_PROXIES', 'WEBHOOK_ALLOWED_NETWORKS']) {
      const read = (value: string) => {
        const { trustedProxies, webhooks } = loadConfig({ ...NEEDED, [name]: value });
        return name === 'TRUSTED_PROXIES' ? trustedProxies : webhooks.allowedNetworks;
      };
      assert.deepEqual(read('10.1.0.0/16, 10.0.0.7,::1,fd00::/8'), [
        '10.1.0.0/16',
        '10.0.0.7/32',
        '::1/128',
        'fd00::/8',
      ]);
      assert.deepEqual(read(''), []);
      for (const wrong of [
        '10/8',
        '10.1/16',
        '010.0.0.0/8',
        '0x0a000000/8',
        '10',
        '10.0.0.0/33',
        '::ffff:10.0.0.0/104',
        '*',
      ]) {
        assert.throws(
          () => read(`127.0.0.1,${wrong}`),
          (error) => error instanceof ConfigError && error.message.endsWith(`separated by commas, got "${wrong}"`),
          wrong,
        );
      }
    }
  });

  it('reads the folders of feeds, whose only placeholder is {account}', () => {
    const read = (FEED_FOLDERS: string) => loadConfig({ ...NEEDED, FEED_FOLDERS }).feedFolders;
    assert.deepEqual(read('/srv/feeds/{account}, /srv/a{account}b'), ['/srv/feeds/{account}', '/srv/a{account}b']);
    for (const wrong of [
      'feeds',
      '/',
      '//',
      '/./',
      '/srv/../etc',
      '/srv/{Account}',
      '/srv/{tenant}',
      '/srv/{account',
    ]) {
      assert.throws(
        () => read(`/srv/ok,${wrong}`),
        (error) => error instanceof ConfigError && error.message.endsWith(`got "${wrong}"`),
        wrong,
      );
    }
  });

  it('reads the address of the service, to which paths can be added', () => {
    const read = (PUBLIC_URL: string) => loadConfig({ ...NEEDED, PUBLIC_URL }).publicUrl;
    assert.equal(read('https://bulk.example.com/'), 'https://bulk.example.com');
    assert.equal(read('http://127.0.0.1:3000/longshore'), 'http://127.0.0.1:3000/longshore');
    for (const wrong of [
      'bulk.example.com',
      'ftp://a.example',
      'https://a.example?x',
      'https://a.example/#',
      'https://u@a.example',
    ])
      assert.throws(() => read(wrong), /^ConfigError: PUBLIC_URL: expected an address such as/, wrong);
  });

  it('reads the waits before the attempts of a delivery, and takes no gap for a wait of 0', () => {
    const read = (text?: string) => loadConfig({ ...NEEDED, WEBHOOK_SCHEDULE_SECONDS: text }).webhooks.scheduleMs;
    assert.equal(read().length, 10);
    assert.deepEqual(read('0, 5,0.5'), [0, 5_000, 500]);
    for (const wrong of ['0,,5', '0,5,', ',', '0;5', '-1'])
      assert.throws(() => read(wrong), /^ConfigError: WEBHOOK_SCHEDULE_SECONDS: expected the seconds/, wrong);
  });

  it('reads the origins of pages, and refuses what no browser sends', () => {
    const read = (CORS_ORIGINS?: string) => loadConfig({ ...NEEDED, CORS_ORIGINS }).corsOrigins;
    assert.deepEqual(read(), []);
    assert.deepEqual(read(' '), []);
    assert.deepEqual(read('https://shop.example.com, http://localhost:5173'), [
      'https://shop.example.com',
      'http://localhost:5173',
    ]);
    for (const wrong of [
      '*',
      'null',
      'shop.example.com',
      'https://shop.example.com/',
      'https://Shop.example.com',
      'https://a.example:443',
      'https://*.example.com',
      'ftp://a.example',
    ]) {
      assert.throws(
        () => read(`https://right.example,${wrong}`),
        (error: Error) =>
          error.message.startsWith('CORS_ORIGINS: expected origins') && error.message.endsWith(`"${wrong}"`),
        wrong,
      );
    }
  });
});
