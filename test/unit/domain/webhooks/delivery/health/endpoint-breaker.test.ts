import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Applicant, admitDelivery } from '../../../../../../src/domain/webhooks/delivery/admit-delivery.js';
import {
  afterAttempt,
  HEALTHY,
  type Health,
  hasFailedForLong,
  isHealthy,
} from '../../../../../../src/domain/webhooks/delivery/health/endpoint-health.js';

const policy = { scheduleMs: [0], breakerOpenMs: 30_000, breakerMaxMs: 900_000 };
const now = 1_000_000_000_000;
const DAY = 86_400_000;

const failure = (health: Health, at = now, pauseMs: number | null = null) =>
  afterAttempt(health, { failed: true, first: true, pauseMs }, at, policy);
const success = (health: Health, at = now) =>
  afterAttempt(health, { failed: false, first: true, pauseMs: null }, at, policy);
const times = (count: number, step: (health: Health) => Health, health: Health) =>
  Array.from({ length: count }).reduce<Health>(step, health);

describe('the breaker of an endpoint', () => {
  const open = times(5, (health) => failure(health), HEALTHY);

  it('opens for 30 s with the fifth failure in a row', () => {
    assert.equal(times(4, (health) => failure(health), HEALTHY).openUntil, null);
    assert.equal(open.openUntil, now + 30_000);
  });

  it('does not open with four failures, a success and four failures', () => {
    const four = (health: Health) => times(4, (one) => failure(one), health);
    assert.equal(four(success(success(success(success(four(HEALTHY)))))).openUntil, null);
  });

  it('opens with 70 % of at least ten attempts within five minutes', () => {
    const pattern = [failure, failure, failure, success, failure, failure, success, failure, failure];
    const nine = pattern.reduce<Health>((health, step) => step(health), HEALTHY);
    assert.equal(nine.openUntil, null);
    assert.notEqual(failure(nine).openUntil, null);
    assert.equal(failure(nine, now + 300_000).openUntil, null);
  });

  it('doubles up to a quarter of an hour with each probe that fails', () => {
    const lengths: number[] = [];
    let health = open;
    for (let at = open.openUntil ?? 0; lengths.length < 7; at = health.openUntil ?? 0) {
      health = failure(health, at);
      lengths.push(((health.openUntil ?? 0) - at) / 1000);
    }
    assert.deepEqual(lengths, [60, 120, 240, 480, 900, 900, 900]);
  });

  it('closes with a probe that succeeds, and not with what was sent before it opened', () => {
    assert.equal(success(open).openUntil, open.openUntil);
    assert.deepEqual(success(open, now + 30_000), HEALTHY);
  });

  it('keeps the longest pause that was asked for', () => {
    assert.equal(failure(failure(HEALTHY, now, 60_000), now, 10_000).pausedUntil, now + 60_000);
  });

  it('has nothing to note of an endpoint that never fails', () => {
    assert.ok(isHealthy(HEALTHY, now));
    assert.deepEqual(success(HEALTHY), HEALTHY);
    assert.ok(!isHealthy(failure(HEALTHY), now));
    assert.ok(!isHealthy(success(failure(HEALTHY)), now));
    assert.ok(isHealthy(success(failure(HEALTHY)), now + 300_000));
  });

  it('is closed, whatever came before, by a success when it lets one through', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(600_000)), { maxLength: 60 }), (attempts) => {
        let [health, at] = [HEALTHY, now];
        for (const [failed, later] of attempts) {
          at += later;
          health = failed ? failure(health, at) : success(health, at);
        }
        const probed = success(health, Math.max(at, health.openUntil ?? 0));
        return probed.openUntil === null && probed.failureStreak === 0 && probed.failingSince === null;
      }),
    );
  });
});

describe('an endpoint that has only failed', () => {
  it('for five days, and with twenty deliveries, is to be disabled', () => {
    const failing = times(19, (health) => failure(health), HEALTHY);
    assert.ok(!hasFailedForLong(failing, now + 5 * DAY));
    const twenty = failure(failing);
    assert.ok(!hasFailedForLong(twenty, now + 5 * DAY - 1));
    assert.ok(hasFailedForLong(twenty, now + 5 * DAY));
    assert.ok(!hasFailedForLong(success(twenty), now + 5 * DAY));
  });
});

describe('the admission of a delivery', () => {
  const applicant = { status: 'PENDING', dispatch: 2, asked: 2, definition: 'ACTIVE', health: HEALTHY } as const;
  const admit = (over: Partial<Applicant>) => admitDelivery({ ...applicant, ...over }, now);

  it('lets it go when nothing stands against it', () => assert.deepEqual(admit({}), { kind: 'send' }));

  it('knows what was dispatched anew, delivered or cancelled', () => {
    assert.deepEqual(admit({ asked: 1 }), { kind: 'stale' });
    for (const status of ['DELIVERED', 'DEAD', 'CANCELLED'] as const)
      assert.deepEqual(admit({ status }), { kind: 'stale' });
  });

  it('cancels it when the definition is disabled or deleted', () => {
    assert.deepEqual(admit({ definition: 'DISABLED' }), { kind: 'cancel' });
    assert.deepEqual(admit({ definition: null }), { kind: 'cancel' });
  });

  it('has it wait for the later of breaker and pause', () => {
    const health = { ...HEALTHY, openUntil: now + 5, pausedUntil: now + 9 };
    assert.deepEqual(admit({ health }), { kind: 'snooze', untilMs: now + 9 });
    assert.deepEqual(admit({ health, definition: 'not-needed' }), { kind: 'send' });
  });

  it('lets one probe pass when the breaker may close, and another when that one was lost', () => {
    const half = { ...HEALTHY, openUntil: now };
    assert.deepEqual(admit({ health: half }), { kind: 'probe' });
    assert.equal(admit({ health: { ...half, probingSince: now - 10 } }).kind, 'snooze');
    assert.deepEqual(admit({ health: { ...half, probingSince: now - 60_000 } }), { kind: 'probe' });
  });
});
