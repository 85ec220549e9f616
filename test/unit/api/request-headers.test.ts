import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { basicCredentials } from '../../../src/api/basic-credentials.js';
import { fingerprintOf, idempotencyKey, preferWaitMs, sentRequestId } from '../../../src/api/request-headers.js';

function requestWith(...headers: [string, string][]): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  for (const [name, value] of headers) {
    request.headers[name] = value;
    request.headersDistinct[name] = [...(request.headersDistinct[name] ?? []), value];
  }
  return request;
}

describe('Prefer: wait', () => {
  for (const [header, expected] of [
    ['wait=10', 10_000],
    ['WAIT = 10', 10_000],
    ['wait="7"', 7_000],
    ['respond-async, wait=5', 5_000],
    ['wait=5; foo=bar', 5_000],
    ['wait=3, wait=9', 3_000],
    ['wait=0', 0],
    ['wait=26', 25_000],
    ['wait=999999999', 25_000],
    ['wait=-1', 0],
    ['wait=1.5', 0],
    ['wait', 0],
    ['wait=soon', 0],
    ['await=4', 0],
    ['', 0],
  ] as const) {
    it(`reads "${header}" as ${expected} ms`, () => {
      assert.equal(preferWaitMs(requestWith(['prefer', header])), expected);
    });
  }

  it('is 0 without the header', () => {
    assert.equal(preferWaitMs(requestWith()), 0);
  });
});

describe('Idempotency-Key', () => {
  it('takes 1 to 255 printable characters', () => {
    assert.equal(idempotencyKey(requestWith(['idempotency-key', 'a b~!'])), 'a b~!');
    assert.equal(idempotencyKey(requestWith()), undefined);
  });

  for (const key of ['', 'x'.repeat(256), 'tab\there', 'smörgås', '\u007f']) {
    it(`refuses ${JSON.stringify(key.slice(0, 10))} (${key.length} characters)`, () => {
      assert.throws(() => idempotencyKey(requestWith(['idempotency-key', key])), /1 to 255 printable/);
    });
  }

  it('refuses two', () => {
    const twice = requestWith(['idempotency-key', 'a'], ['idempotency-key', 'b']);
    assert.throws(() => idempotencyKey(twice), /was sent 2 times/);
  });
});

describe('the fingerprint of a request', () => {
  const base = {
    method: 'POST',
    path: '/x',
    query: 'a=1&b=2',
    site: { accountId: 'a', stage: 's', channel: null, date: null },
    body: Buffer.from('[1]'),
  };
  const print = (change: Partial<Parameters<typeof fingerprintOf>[0]>) =>
    fingerprintOf({ ...base, ...change }).toString('hex');

  it('does not depend on the order of query parameters', () => {
    assert.equal(print({ query: 'b=2&a=1' }), print({}));
  });

  for (const [what, change] of [
    ['method', { method: 'PUT' }],
    ['path', { path: '/y' }],
    ['query', { query: 'a=1&b=3' }],
    ['stage', { site: { ...base.site, stage: 't' } }],
    ['channel', { site: { ...base.site, channel: 1 } }],
    ['date', { site: { ...base.site, date: new Date(0) } }],
    ['body', { body: Buffer.from('[2]') }],
    ['absence of a body', { body: undefined }],
  ] as const) {
    it(`changes with the ${what}`, () => {
      assert.notEqual(print(change), print({}));
    });
  }
});

describe('Basic credentials', () => {
  it('reads what was encoded, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (name, password) => {
        const user = name.replaceAll(':', '');
        const header = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
        assert.deepEqual(basicCredentials(header), { user, password });
      }),
    );
  });

  it('are absent from anything else', () => {
    for (const header of [undefined, '', 'Basic', 'Basic ', 'Basic !!!', 'Bearer abc', `Basic ${btoa('nocolon')}`]) {
      assert.equal(basicCredentials(header), undefined);
    }
  });
});

describe('X-Request-Id', () => {
  it('is taken when it is fit for a log line, and only then', () => {
    assert.equal(sentRequestId(requestWith(['x-request-id', 'abc-1.2:3_4'])), 'abc-1.2:3_4');
    for (const id of ['', 'a b', 'a"b', 'x'.repeat(129), 'ü']) {
      assert.equal(sentRequestId(requestWith(['x-request-id', id])), undefined);
    }
  });
});
