import assert from 'node:assert/strict';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { newSigningSecret } from '../../../../../../src/domain/access/signing-secret.js';
import { signatureHeaders } from '../../../../../../src/domain/webhooks/delivery/request/signature.js';

const body = '{"event":"ORDER_CREATED","payload":{"näme":"Ünïcode ✓","amount":10.10}}';

describe('the signature of a webhook', () => {
  const [older, newer] = [newSigningSecret(), newSigningSecret()];
  let timestamp: number;
  beforeEach(() => {
    timestamp = Math.floor(Date.now() / 1000);
  });

  it('is one that the standardwebhooks package verifies', () => {
    const headers = signatureHeaders([newer], { id: 'e1', timestamp, body });
    assert.deepEqual(new Webhook(newer).verify(body, headers), JSON.parse(body));
  });

  it('is verified with the old secret and with the new one during a rotation', () => {
    const headers = signatureHeaders([newer, older], { id: 'e1', timestamp, body });
    for (const secret of [older, newer]) assert.ok(new Webhook(secret).verify(body, headers));
  });

  it('is refused with another secret, another body or another id', () => {
    const headers = signatureHeaders([newer], { id: 'e1', timestamp, body });
    const refused = (work: () => unknown) => assert.throws(work, WebhookVerificationError);
    refused(() => new Webhook(older).verify(body, headers));
    refused(() => new Webhook(newer).verify(`${body} `, headers));
    refused(() => new Webhook(newer).verify(body, { ...headers, 'webhook-id': 'e2' }));
  });

  it('is the example of the specification', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const content = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' };
    assert.equal(
      signatureHeaders([secret], content)['webhook-signature'],
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });
});
