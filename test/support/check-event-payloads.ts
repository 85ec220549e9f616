/** Holds every event that a test run emits in its own process against its event type: its source and its payload. */
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { z } from 'zod';
import { EVENT_TYPES } from '../../src/domain/webhooks/model/event-types.js';

const CHANNEL = 'longshore:event';

const madeEvent = z.object({ name: z.string(), source: z.string(), payload: z.string() });

/** @throws AssertionError naming the event and the fields that its type does not describe so */
export function checkEventPayload(message: unknown): void {
  const { name, source, payload } = madeEvent.parse(message);
  const type = EVENT_TYPES.find((one) => one.name === name) ?? assert.fail(`there is no event type ${name}`);
  if (type.source !== 'OF_DEFINITION') assert.equal(source, type.source, `the source of ${name}`);
  const { error } = type.payload.safeParse(JSON.parse(payload));
  if (error !== undefined) assert.fail(`the payload of ${name}: ${z.prettifyError(error)}\n${payload}`);
}

/** What it throws reaches mocha as an uncaught exception, which fails the test that emits. */
export const mochaHooks = {
  beforeAll: () => subscribe(CHANNEL, checkEventPayload),
  afterAll: () => {
    unsubscribe(CHANNEL, checkEventPayload);
  },
};
