/** The receivers of the guide, in four languages: they verify what the service delivers, and refuse what was changed. */

import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { type Received, type Receiver, startReceiver } from '../../support/http/receiver.js';
import type { Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { until } from '../../support/until.js';
import { reservePort } from '../../support/worlds/reserved-port.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const EXAMPLES = join(REPOSITORY, 'examples', 'receivers');
const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const PAYLOAD = { parcels: 2, note: 'Grüße – 🚲' };

interface Language {
  readonly name: string;
  /** The command that says whether this machine has the language. */
  readonly probe: readonly [string, ...string[]];
  /** @returns the command that runs the receiver; `folder` may contain what it builds */
  command(port: number, folder: string): readonly [string, ...string[]];
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'TypeScript',
    probe: [process.execPath, '--version'],
    // Compiled with the tests, under the same strict rules.
    command: () => [process.execPath, join(REPOSITORY, 'dist', 'examples', 'receivers', 'receive.js')],
  },
  {
    name: 'Python',
    probe: ['python3', '--version'],
    command: () => ['python3', join(EXAMPLES, 'receive.py')],
  },
  {
    name: 'PHP',
    probe: ['php', '--version'],
    command: (port) => ['php', '-S', `127.0.0.1:${port}`, join(EXAMPLES, 'receive.php')],
  },
  {
    name: 'Go',
    probe: ['go', 'version'],
    command: (_port, folder) => {
      const program = join(folder, 'receive');
      execFileSync('go', ['build', '-o', program, join(EXAMPLES, 'receive.go')], { stdio: 'pipe' });
      return [program];
    },
  },
];

describe("the guide's receivers of webhooks", function () {
  this.timeout(120_000);
  let world: World;
  let shop: Shop;
  let folder: string;
  /** Keeps what is delivered, as it arrives. */
  let recorder: Receiver;
  before(async () => {
    world = await startWorld({ workers: true });
    shop = await world.newShop();
    folder = mkdtempSync(join(tmpdir(), 'longshore-receivers-'));
    recorder = await startReceiver();
    await subscribe(recorder.url);
  });
  after(async () => {
    await recorder.stop();
    await world.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function subscribe(target: string): Promise<string> {
    const { webhookId } = await shop.ask('POST', '/api/v2/webhook', {
      body: webhookBody({ target, signingSecret: SECRET }),
    });
    return webhookId;
  }

  /** Emits an event, and returns its delivery once it has arrived. */
  async function deliver(): Promise<Received> {
    const body = { source: 'OMS', event: 'ORDER_CREATED', payload: PAYLOAD };
    const headers = { 'tenant-key': shop.account };
    const { status, body: accepted } = await shop.call('POST', '/api/v2/event', { body, headers });
    assert.equal(status, 202, JSON.stringify(accepted));
    const { eventRequestId } = accepted;
    const arrived = () => recorder.received.find((one) => one.headers['webhook-id'] === eventRequestId);
    await until('the event is delivered', () => arrived() !== undefined, 20_000);
    return arrived() as Received;
  }

  for (const { name, probe, command } of LANGUAGES) {
    describe(`in ${name}`, () => {
      let program: ChildProcess;
      let output = '';
      let port: number;
      let webhookId: string | undefined;
      before(async function () {
        const [tool, ...args] = probe;
        if (spawnSync(tool, args).status !== 0) this.skip();
        port = await reservePort();
        const [executable, ...rest] = command(port, folder);
        const { PATH = '', HOME = '' } = process.env;
        program = spawn(executable, rest, { env: { PATH, HOME, PORT: String(port), WEBHOOK_SECRET: SECRET } });
        for (const stream of [program.stdout, program.stderr]) {
          stream?.setEncoding('utf8').on('data', (text: string) => {
            output += text;
          });
        }
        await until(
          'it listens',
          async () => {
            assert.equal(program.exitCode, null, output);
            return (await post({}, '')) === 401;
          },
          30_000,
        );
      });
      after(async () => {
        if (webhookId !== undefined) await shop.call('DELETE', `/api/v2/webhook/${webhookId}`);
        program?.kill('SIGKILL');
      });

      /** The status of the answer; undefined: nothing listens yet. */
      async function post(headers: Readonly<Record<string, string>>, body: string): Promise<number | undefined> {
        const answer = await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', headers, body }).catch(
          () => null,
        );
        await answer?.body?.cancel();
        return answer?.status;
      }

      const signed = (body: string, at = new Date(), id = 'msg_1') => ({
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': new Webhook(SECRET).sign(id, at, body),
      });

      it('verifies a delivery of the service, and shows it', async () => {
        webhookId = await subscribe(`http://127.0.0.1:${port}/hook`);
        await deliver();
        await until('it was received', () => output.includes('received: ORDER_CREATED'), 20_000);
        const [, shown = ''] = /received: ORDER_CREATED (\{.*\})/.exec(output) ?? [];
        assert.deepEqual(JSON.parse(shown), PAYLOAD);
        const query = { filters: { event: 'ORDER_CREATED' }, limit: 1 };
        const delivered = async () => {
          const { webhookEventLogs } = await shop.ask('POST', '/api/v2/webhook/event/query', { body: query });
          return webhookEventLogs[0].status === 'DELIVERED';
        };
        await until('its answer counts as delivered', delivered, 20_000);
      });

      it('accepts the bytes of a delivery again, and refuses any others', async () => {
        const { headers, body } = await deliver();
        const own = Object.fromEntries(Object.entries(headers).filter(([header]) => header.startsWith('webhook-')));
        assert.equal(await post(own, body), 204);
        const signature = own['webhook-signature'] ?? '';
        const refused: Record<string, [Record<string, string>, string]> = {
          'another body': [own, body.replace('"parcels":2', '"parcels":3')],
          'a body with a blank more': [own, `${body} `],
          'another id': [{ ...own, 'webhook-id': 'other' }, body],
          'another time': [{ ...own, 'webhook-timestamp': String(Number(own['webhook-timestamp']) + 1) }, body],
          'half a signature': [{ ...own, 'webhook-signature': signature.slice(0, 20) }, body],
          'another version': [{ ...own, 'webhook-signature': signature.replace('v1,', 'v9,') }, body],
          'no signature': [{ ...own, 'webhook-signature': '' }, body],
          'another secret': [
            {
              ...own,
              'webhook-signature': new Webhook(randomBytes(32).toString('base64')).sign('x', new Date(), body),
            },
            body,
          ],
        };
        assert.notEqual(refused['another body']?.[1], body);
        for (const [what, [changed, bytes]] of Object.entries(refused)) {
          assert.equal(await post(changed, bytes), 401, what);
        }
      });

      it('refuses what was sent long ago, although its signature is right', async () => {
        const body = '{"event":"ORDER_CREATED","payload":{}}';
        assert.equal(await post(signed(body, new Date(Date.now() - 10 * 60_000)), body), 401);
        assert.equal(await post(signed(body), body), 204);
      });

      it('accepts a delivery that two secrets have signed, as after a rotation', async () => {
        const body = '{"event":"ORDER_CREATED","payload":{}}';
        const headers = signed(body);
        const other = new Webhook(randomBytes(32).toString('base64')).sign('msg_1', new Date(), body);
        assert.equal(
          await post({ ...headers, 'webhook-signature': `${other} ${headers['webhook-signature']}` }, body),
          204,
        );
      });
    });
  }
});
