/** The names of events: one event has a name, and subscriptions may also name all events. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { validate } from '../../../src/api/validate.js';
import { webhookFields } from '../../../src/api/webhook-fields.js';
import { eventName } from '../../../src/domain/webhooks/definition-fields.js';

describe('the name of an event', () => {
  it('is not *, and the message does not offer it', () => {
    for (const notificationType of ['*', 'order shipped']) {
      assert.throws(
        () => validate(z.object({ notificationType: eventName }), { notificationType }, 'body'),
        /notificationType: expected a name of capitals, digits and _ : \. such as ORDER_CREATED$/,
      );
    }
  });

  it('may be * in a subscription, whose message says so', () => {
    const subscription = z.object({ events: webhookFields.events });
    assert.deepEqual(validate(subscription, { events: ['*'] }, 'body'), { events: ['*'] });
    assert.throws(() => validate(subscription, { events: ['order'] }, 'body'), /expected names .*, or \*$/);
  });
});
