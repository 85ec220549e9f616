/** The outcome table of docs/build/webhook-delivery.md, row by row: a receiver that really behaves so, and what is recorded of it. */
import assert from 'node:assert/strict';
import {
  startClosingMidway,
  startDripping,
  startDrippingBody,
  startFlooding,
  startHanging,
  startRedirecting,
} from '../../support/faults/hostile-receivers.js';
import { type Answer, answerWith, type Receiver, startReceiver } from '../../support/http/receiver.js';
import { until } from '../../support/until.js';
import { DeliveryWorld } from '../../support/worlds/delivery-world.js';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
/** Of the second attempt, in the schedule of this suite: far enough off for the first to be looked at. */
const SCHEDULED = 45 * SECOND;
const MINUTE = 60 * SECOND;
const MOST_JITTER = 0.2;
/** What may pass between an attempt and its record on a machine that is busy. */
const SLACK = 20 * SECOND;
/** What receivers say that name a date; set when they begin. */
let date = '';
const untilDate = () => Date.parse(date);

interface Row {
  readonly receiver: string;
  readonly start: () => Promise<Receiver>;
  readonly outcome: string;
  readonly statusCode: number | null;
  readonly error: RegExp | null;
  readonly status: 'DELIVERED' | 'PENDING' | 'DEAD';
  /** The time before which there is no other attempt, of one that began `at`. */
  readonly notBefore?: (at: number) => number;
  /** Until when the endpoint asked to be left alone. */
  readonly pause?: (at: number) => number;
  readonly target?: (receiver: Receiver) => string;
}

const later = (ms: number) => (at: number) => at + ms;
const answering = (answer: Answer) => () => startReceiver(answer);
const DELIVERED = { outcome: 'delivered', error: null, status: 'DELIVERED' } as const;
const PENDING = { status: 'PENDING', statusCode: null, notBefore: later(SCHEDULED) } as const;
const SLOW = { ...PENDING, outcome: 'time-out', error: /^no complete answer within 2 s$/, notBefore: later(MINUTE) };

/** @param retryAfter in seconds, or the date */
function answers(statusCode: number, retryAfter?: string, over: Partial<Row> = {}): Row {
  const said = () => ({ 'retry-after': (retryAfter === 'a date' ? date : retryAfter) ?? '' });
  return {
    receiver: `answers ${statusCode}${retryAfter === undefined ? '' : ` and Retry-After: ${retryAfter}`}`,
    start: answering((response) => response.writeHead(statusCode, retryAfter === undefined ? {} : said()).end('words')),
    ...{ outcome: 'http-status', statusCode, error: new RegExp(`^answered ${statusCode}$`), status: 'PENDING' },
    notBefore: later(SCHEDULED),
    ...over,
  };
}

let taken = 0;
let inner: Receiver;

const TABLE: readonly Row[] = [
  { receiver: 'answers 200', start: answering(answerWith(200, {}, 'ok')), ...DELIVERED, statusCode: 200 },
  { receiver: 'answers 204', start: answering(answerWith(204)), ...DELIVERED, statusCode: 204 },
  {
    receiver: 'answers a hundred megabytes',
    start: () =>
      startFlooding((bytes) => {
        taken = bytes;
      }),
    ...{ ...DELIVERED, statusCode: 200 },
  },
  { receiver: 'hangs', start: startHanging, ...SLOW },
  { receiver: 'answers a byte a second', start: () => startDripping(SECOND), ...SLOW },
  { receiver: 'answers a byte of its body a second', start: () => startDrippingBody(SECOND), ...SLOW },
  { receiver: 'closes midway', start: startClosingMidway, ...PENDING, outcome: 'connection', error: /./ },
  {
    receiver: 'redirects to an internal address',
    start: () => startRedirecting(`${inner.url}/secret`),
    ...{ ...PENDING, outcome: 'http-status', statusCode: 302, error: /^answered 302$/ },
  },
  {
    receiver: 'speaks no TLS',
    start: answering(answerWith(200)),
    target: ({ url }) => url.replace('http:', 'https:'),
    ...{ ...PENDING, outcome: 'tls', error: /./ },
  },
  answers(410, undefined, { status: 'DEAD' }),
  answers(404),
  answers(500),
  answers(502, undefined, { notBefore: later(MINUTE) }),
  answers(504, undefined, { notBefore: later(MINUTE) }),
  answers(429, undefined, { pause: later(5 * SECOND) }),
  answers(429, '120', { notBefore: later(120 * SECOND), pause: later(120 * SECOND) }),
  answers(429, 'a date', { notBefore: untilDate, pause: untilDate }),
  answers(503, undefined, { pause: later(5 * SECOND) }),
  answers(503, '120', { notBefore: later(120 * SECOND), pause: later(120 * SECOND) }),
  answers(503, 'a date', { notBefore: untilDate, pause: untilDate }),
  answers(503, '10', { pause: later(10 * SECOND) }),
  answers(503, '9999999', { notBefore: later(10 * HOUR), pause: later(10 * HOUR) }),
];

describe('what is recorded of a receiver', function () {
  this.timeout(60_000);
  let world: DeliveryWorld;
  const receivers = new Map<string, Receiver>();
  const definitions = new Map<string, string>();
  const events = new Map<string, string>();
  const nameOf = (row: Row) => `ROW_${TABLE.indexOf(row)}`;

  before(async () => {
    date = new Date(Date.now() + 300 * SECOND).toUTCString();
    world = await DeliveryWorld.start({
      environment: {
        WEBHOOK_SCHEDULE_SECONDS: `0,${SCHEDULED / SECOND},${HOUR / SECOND}`,
        WEBHOOK_TIMEOUT_SECONDS: '2',
        WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
      },
    });
    inner = await startReceiver();
    receivers.set('inner', inner);
    for (const row of TABLE) {
      const receiver = await row.start();
      receivers.set(nameOf(row), receiver);
      const target = row.target?.(receiver) ?? receiver.url;
      definitions.set(nameOf(row), (await world.hear(target, { events: [nameOf(row)] })).id);
    }
    await world.jobs.startWorkers({ resolveName: rebinding }, ['webhook']);
    // All at once: those that say nothing take their time together.
    const ids = await world.emit(TABLE.map((row) => ({ event: nameOf(row) })));
    for (const [index, row] of TABLE.entries()) events.set(nameOf(row), ids[index] ?? '');
  });
  after(async () => {
    await world?.stop();
    await Promise.all([...receivers.values()].map((receiver) => receiver.stop()));
    receivers.clear();
  });

  const receiverOf = (row: Row) => receivers.get(nameOf(row)) ?? assert.fail();
  const definitionOf = (row: Row) => definitions.get(nameOf(row)) ?? assert.fail();
  async function attemptOf(eventId: string) {
    const delivery = await world.attempted(eventId);
    const [attempt = assert.fail(), ...others] = await world.attemptsOf(delivery.id);
    assert.deepEqual([others.length, attempt.attempt, delivery.attempts], [0, 1, 1]);
    return { delivery, attempt, at: attempt.triggered_at.getTime() };
  }

  // First of all: some pauses are short.
  for (const row of TABLE.filter(({ pause }) => pause !== undefined)) {
    it(`that ${row.receiver}: is left alone so long, and what follows is put off and spends no attempt`, async () => {
      const { at } = await attemptOf(events.get(nameOf(row)) ?? '');
      const pausedUntil = (await world.healthOf(definitionOf(row))).paused_until?.getTime() ?? 0;
      const asked = row.pause?.(at) ?? assert.fail();
      assert.ok(pausedUntil >= asked && pausedUntil <= asked + SLACK, `${pausedUntil - asked} ms after what it asked`);
      const [following = ''] = await world.emit([{ event: nameOf(row) }]);
      const attempted = async () => (await world.deliveryOf(following)).attempts > 0;
      await until('it is put off', async () => (await world.isPutOff(following)) || attempted(), 30_000);
      const forMs = await world.putOffForMs(following);
      const { status, attempts } = await world.deliveryOf(following);
      const requests = receiverOf(row).received.length;
      if (Date.now() < pausedUntil) {
        assert.deepEqual([status, attempts, requests], ['PENDING', 0, 1]);
        assert.ok((forMs ?? 0) >= pausedUntil - Date.now(), `put off for ${forMs} ms`);
      } else {
        // A machine that is so slow has not seen it put off; but nor was it made too soon.
        assert.ok((await attemptOf(following)).at >= pausedUntil, 'it was not left alone');
      }
    });
  }

  for (const row of TABLE) {
    const { receiver, outcome, statusCode, error, status, notBefore } = row;

    it(`that ${receiver}: ${outcome}, ${status}`, async () => {
      const { delivery, attempt, at } = await attemptOf(events.get(nameOf(row)) ?? '');
      assert.deepEqual(
        [attempt.outcome, attempt.status_code, delivery.status, delivery.status_code],
        [outcome, statusCode, status, statusCode],
      );
      if (error === null) assert.equal(attempt.error, null);
      else assert.match(attempt.error ?? '', error);
      const next = delivery.next_attempt_at?.getTime() ?? null;
      if (status !== 'PENDING') {
        assert.deepEqual([next, delivery.completed_at !== null], [null, true]);
      } else {
        const least = notBefore?.(at) ?? assert.fail();
        assert.ok(next !== null && next >= least, `${(next ?? 0) - least} ms too soon`);
        const most = least + MOST_JITTER * (least - at) + SLACK;
        assert.ok(next <= most, `${next - most} ms beyond its jitter`);
      }
      const health = await world.healthOf(definitionOf(row));
      assert.equal(health.failure_streak > 0, status !== 'DELIVERED');
      assert.equal(health.paused_until === null, row.pause === undefined);
    });
  }

  it('that answers a hundred megabytes: a thousand characters of them, and few were read', async () => {
    const row = TABLE.find(({ receiver }) => receiver.includes('megabytes')) ?? assert.fail();
    const { attempt } = await attemptOf(events.get(nameOf(row)) ?? '');
    assert.equal(attempt.response?.length, 1_000);
    assert.ok(taken < 20_000_000, `${taken} bytes were taken`);
  });

  it('that redirects to an internal address: nobody went there', async () => {
    const row = TABLE.find(({ receiver }) => receiver.startsWith('redirects')) ?? assert.fail();
    await attemptOf(events.get(nameOf(row)) ?? '');
    assert.equal(inner.connections(), 0);
  });

  it('that answers 410: its definition is disabled, with the reason', async () => {
    const row = TABLE.find(({ statusCode }) => statusCode === 410) ?? assert.fail();
    await attemptOf(events.get(nameOf(row)) ?? '');
    const { status, disabled_reason } = await world.definition(definitionOf(row));
    assert.deepEqual([status, disabled_reason], ['DISABLED', 'the target answered 410 Gone']);
  });

  /** Every address of a name that leads to this machine by its open address once, and by a closed one from then on. */
  let asked = 0;
  const rebinding = async (): Promise<string[]> => [asked++ === 0 ? '127.0.0.1' : '127.0.0.2'];

  it('whose name leads to a private address only the second time: blocked, PENDING, and reached once', async () => {
    // It would hear on every address of this machine.
    const receiver = await startReceiver(answerWith(200, { connection: 'close' }), '::');
    receivers.set('rebinding', receiver);
    await world.hear(`http://rebinding.example:${receiver.port}/`, { events: ['REBINDING'] });
    const [first = ''] = await world.emit([{ event: 'REBINDING' }]);
    assert.equal((await world.ended(first)).status, 'DELIVERED');
    const [second = ''] = await world.emit([{ event: 'REBINDING' }]);
    const { delivery, attempt, at } = await attemptOf(second);
    assert.deepEqual(
      [delivery.status, attempt.outcome, attempt.status_code, attempt.error],
      ['PENDING', 'blocked', null, 'blocked address 127.0.0.2 of rebinding.example (loopback)'],
    );
    assert.ok((delivery.next_attempt_at?.getTime() ?? 0) >= at + SCHEDULED);
    assert.deepEqual([asked, receiver.received.length, receiver.connections()], [2, 1, 1]);
  });
});
