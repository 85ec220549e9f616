/**
 * Fails a test whose step holds a transaction and uses another connection without a `lock_timeout`. Postgres cannot see
 * such a wait: if somebody's LOCK TABLE is queued between the two connections, nobody ever gets on.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import pg from 'pg';

interface KnexTransaction {
  readonly outerTx: KnexTransaction | null;
  isCompleted(): boolean;
  _onAcquire(container: (trx: unknown) => unknown, connection: pg.Client): Promise<unknown>;
}

/** A transaction of a step, and the one inside of which it was begun. */
interface Held {
  readonly trx: KnexTransaction;
  readonly connection: pg.Client;
  readonly before: Held | undefined;
}

// Not exported by name: knex makes each transaction of a client with it.
const { prototype: transactions } = createRequire(import.meta.url)('knex/lib/execution/transaction.js') as {
  readonly prototype: KnexTransaction;
};
const { prototype: clients } = createRequire(import.meta.url)('knex/lib/dialects/postgres/index.js') as {
  readonly prototype: { transaction(...args: unknown[]): KnexTransaction };
};
const held = new AsyncLocalStorage<Held>();
/** Transactions that a test has begun itself: it plays another process, which holds what a step needs. */
const ofTests = new WeakSet<KnexTransaction>();
/** Connections whose present transaction waits for locks for a limited time. */
const limited = new WeakSet<pg.Client>();
/** Connections whose present transaction may hold locks for which others wait. */
const holding = new WeakSet<pg.Client>();
/** What was seen since the last look. */
let seen: string[] = [];

/**
 * They wait for no lock, and take none for which others wait: what a new session begins with, what a watch sends, and
 * functions of the system. The transaction of the process that leads maintenance has nothing else.
 */
const LOCKS_NOTHING =
  /^\s*(SELECT pid, extract\(|SELECT 1$|SELECT pg_(try_advisory|cancel|backend)\w*\(|DISCARD PLANS|BEGIN|COMMIT|ROLLBACK|LISTEN)/;
const SETS_LIMIT = /set_config\('lock_timeout'/;
const BEGINS_OR_ENDS = /^\s*(BEGIN|COMMIT|ROLLBACK;?$)/;

/** Whether a statement on a connection is one for which a step with a transaction would wait unseen. */
function isUnseen(connection: pg.Client, text: string): boolean {
  if (SETS_LIMIT.test(text)) limited.add(connection);
  if (BEGINS_OR_ENDS.test(text)) {
    limited.delete(connection);
    holding.delete(connection);
  }
  if (LOCKS_NOTHING.test(text)) return false;
  holding.add(connection);
  if (limited.has(connection)) return false;
  for (let one = held.getStore(); one !== undefined; one = one.before) {
    if (one.connection === connection) return false;
    if (!one.trx.isCompleted() && holding.has(one.connection)) return true;
  }
  return false;
}

function textOf(query: unknown): string {
  if (typeof query === 'string') return query;
  if (typeof query !== 'object' || query === null) return '';
  if ('text' in query) return String(query.text);
  return '';
}

/** What knex asks on each connection that it opens. It reads no table, so that no lock of one makes it wait. */
const OF_NEW_CONNECTION = 'select version();';

const OF_TEST = /\/test\/(?:unit|integration|system|long|support)\//;

/** Whether the code that calls this function's caller is a test, and not what it tests. */
function isCalledByTest(): boolean {
  const [, , , ...callers] = (new Error().stack ?? '').split('\n');
  return OF_TEST.test(callers.find((line) => !line.includes('node_modules')) ?? '');
}

const { _onAcquire: acquired } = transactions;
const { transaction: begin } = clients;
const { query: run } = pg.Client.prototype;

function install(): void {
  clients.transaction = function transaction(...args) {
    const isOfTest = isCalledByTest();
    const made = begin.apply(this, args);
    if (isOfTest) ofTests.add(made);
    return made;
  };
  transactions._onAcquire = function onAcquire(container, connection) {
    if (this.outerTx !== null || ofTests.has(this)) return acquired.call(this, container, connection);
    const one: Held = { trx: this, connection, before: held.getStore() };
    return acquired.call(this, (trx) => held.run(one, () => container(trx)), connection);
  };
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: unknown[]): unknown {
      const text = textOf(args[0]);
      if (text !== OF_NEW_CONNECTION && isUnseen(this, text)) {
        const { stack } = new Error(`a step that holds a transaction waits for another connection:\n${text}`);
        seen.push(stack ?? text);
      }
      return Reflect.apply(run, this, args);
    },
  });
}

function remove(): void {
  clients.transaction = begin;
  transactions._onAcquire = acquired;
  Object.assign(pg.Client.prototype, { query: run });
}

/** Returns what was seen since the last call, each with where it happened. */
export function unseenWaits(): string[] {
  const all = seen;
  seen = [];
  return all;
}

export const mochaHooks = {
  beforeAll: install,
  afterEach: () => {
    const [first] = unseenWaits();
    if (first !== undefined) throw new Error(`${first}\nGive it the transaction, do it before, or use besides().`);
  },
  afterAll: remove,
};
