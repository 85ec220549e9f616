/** What clients do while faults happen: each lane is an account that has work accepted, one job after the other. */
import { setTimeout as delay } from 'node:timers/promises';
import { createAccount } from '../../src/domain/access/accounts.js';
import { resolveSite } from '../../src/domain/access/resolve-site.js';
import { createToken } from '../../src/domain/access/tokens.js';
import { Shop } from '../support/http/shop.js';
import { webhookBody } from '../support/http/webhook-definition.js';
import { pick, seededRandom } from '../support/models/random.js';
import { acceptWork, ChaosClient, type ClientOptions } from './client.js';
import type { Cluster } from './cluster.js';
import { GOOD_CATEGORY, makeInsert, makeWork, type Work } from './site-model.js';

/**
 * `ordered`: jobs that exclude each other, of which the model knows everything. `subscribed`: the same, and each change
 * emits events. `inserts`: concurrent inserts, and changes of what is mandatory. `events`: events of the client's own.
 */
export const LANES = ['ordered', 'subscribed', 'inserts', 'events'] as const;
export type LaneName = (typeof LANES)[number];

interface AcceptedJob {
  readonly jobId: string;
  readonly work: Work;
}

export interface AcceptedExport {
  readonly jobId: string;
  /** How many of the lane's first jobs were known to have ended when it was requested. */
  readonly knownEnded: number;
}

/** What a lane has had accepted so far. */
export interface Lane {
  readonly name: LaneName;
  readonly siteId: number;
  readonly client: ChaosClient;
  /** In the order of acceptance. */
  readonly jobs: AcceptedJob[];
  readonly exports: AcceptedExport[];
  /** Ids of events that were accepted. */
  readonly events: string[];
  /** Has work accepted until then. Resolves when the last request is answered. */
  run(until: number): Promise<void>;
}

export interface WorkloadOptions extends Omit<ClientOptions, 'baseUrl'> {
  readonly seed: number;
  readonly lanes: readonly LaneName[];
  /** Where webhooks are received; each definition has a path of its own. */
  readonly receiverUrl: string;
}

/** Jobs of a lane that may be waiting: a lane that is ahead waits for its oldest job. */
const MOST_WAITING = 12;
const PAUSES_MS = [0, 20, 100, 300, 600] as const;
const POLL_MS = 200;
const ATTRIBUTES = ['Title', 'Colour', { name: 'Stock', type: 'INTEGER' }] as const;

/** Makes the accounts and their catalogs, while nothing is broken yet. */
export function openLanes(cluster: Cluster, options: WorkloadOptions): Promise<Lane[]> {
  return Promise.all(
    options.lanes.map((name) => openLane(cluster, options, name, seededRandom(options.seed * 7 + LANES.indexOf(name)))),
  );
}

async function openLane(
  { db, baseUrl }: Cluster,
  { onViolation, onSlow, receiverUrl }: WorkloadOptions,
  name: LaneName,
  random: () => number,
): Promise<Lane> {
  const { id: account } = await createAccount(db, { name });
  const { token } = await createToken(db, { accountId: account, name });
  const siteId = await resolveSite(db, account, 'production');
  const api = { fetch: (path: string, init?: RequestInit) => fetch(`${baseUrl}${path}`, init) };
  const shop = new Shop(api, account, token, siteId);
  await shop.define({ attributes: ATTRIBUTES });
  const node = await shop.category(GOOD_CATEGORY, ['Title', 'Colour', 'Stock']);
  const seasonal = await shop.category('Seasonal');
  const definitions = { ordered: [], inserts: [], subscribed: ['CATALOG'], events: ['OMS', 'OMS', 'OMS'] }[name];
  for (const [index, source] of definitions.entries()) {
    const target = `${receiverUrl}/${name}-${index}`;
    await shop.ask('POST', '/api/v2/webhook', { body: webhookBody({ target, source, events: ['*'] }) });
  }
  const client = new ChaosClient({ baseUrl, onViolation, onSlow }, { account, token });
  const lane = new RandomLane(name, siteId, client, random, { node, seasonal });
  return lane;
}

interface Nodes {
  /** The category of all items. */
  readonly node: number;
  /** One without items, which is renamed. */
  readonly seasonal: number;
}

class RandomLane implements Lane {
  readonly jobs: AcceptedJob[] = [];
  readonly exports: AcceptedExport[] = [];
  readonly events: string[] = [];
  #ended = 0;
  #requests = 0;

  constructor(
    readonly name: LaneName,
    readonly siteId: number,
    readonly client: ChaosClient,
    readonly random: () => number,
    readonly nodes: Nodes,
  ) {}

  async run(until: number): Promise<void> {
    while (Date.now() < until) {
      await (this.name === 'events' ? this.#emit() : this.#work(until));
    }
  }

  async #work(until: number): Promise<void> {
    const luck = this.random();
    const work = this.name === 'inserts' ? makeInsert(this.random, this.jobs.length) : this.#nextWork();
    const pauseMs = pick(this.random, PAUSES_MS);
    if (luck < 0.2) await this.#export();
    else if (luck < 0.27) await this.#changeCategory();
    this.jobs.push({ jobId: await acceptWork(this.client, work, this.#key()), work });
    do {
      await this.#countEnded();
      await delay(this.jobs.length - this.#ended > MOST_WAITING ? POLL_MS : pauseMs);
    } while (this.jobs.length - this.#ended > MOST_WAITING && Date.now() < until);
  }

  #nextWork(): Work {
    return makeWork(this.random, this.jobs.length, this.jobs.at(-1)?.work);
  }

  async #emit(): Promise<void> {
    const body = { source: 'OMS', event: 'ORDER_CREATED', payload: { number: this.events.length } };
    const { eventRequestId } = await this.client.expect(202, { path: '/api/v2/event', body, key: this.#key() });
    this.events.push(eventRequestId);
    await delay(pick(this.random, PAUSES_MS) / 4);
  }

  async #export(): Promise<void> {
    const knownEnded = this.#ended;
    const body = { match: {}, format: 'JSONL' };
    const path = '/jobs/product/actions/filter-export';
    const { jobId } = await this.client.expect(202, { path, body, key: this.#key() });
    this.exports.push({ jobId, knownEnded });
  }

  /** A request that is repeated may find what it wanted done, and one that meets a running job is refused: 409. */
  async #changeCategory(): Promise<void> {
    const { node, seasonal } = this.nodes;
    if (this.name === 'inserts') {
      const itemAttributes = [{ name: 'Colour', mandatory: this.random() < 0.5 }];
      await this.client.send({
        path: '/api-category/v1/category/item-attribute',
        body: { nodeId: node, itemAttributes },
      });
      return;
    }
    const body = { nodeId: seasonal, name: `Seasonal ${this.#requests}` };
    await this.client.send({ method: 'PUT', path: '/api-category/v1/category', body });
  }

  /** Of the oldest jobs, as far as they have ended. */
  async #countEnded(): Promise<void> {
    for (let next = this.jobs[this.#ended]; next !== undefined; next = this.jobs[this.#ended]) {
      const { completedAt } = await this.client.expect(200, { method: 'GET', path: `/jobs/${next.jobId}` });
      if (completedAt === null) return;
      this.#ended++;
    }
  }

  #key(): string {
    this.#requests++;
    return `${this.name}-${this.#requests}`;
  }
}
