/** Files that come at random times while workers, whose clocks are apart, and Postgres are killed: each makes one job. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { connectDb, type Db } from '../../db/connection.js';
import { resolveSite } from '../../src/domain/access/resolve-site.js';
import { type RunningSystem, startSystem } from '../../src/launcher/system.js';
import { forEachBackend } from '../support/for-each-backend.js';
import { Shop } from '../support/http/shop.js';
import { pick, seededRandom } from '../support/models/random.js';
import { until } from '../support/until.js';
import { type FeedFolder, makeFeedFolder, type ShopFolder } from '../support/worlds/feed-folder.js';
import { type MovedWorkers, startMovedWorkers } from '../support/worlds/moved-workers.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { SHORT_LOCKS } from '../support/worlds/system-world.js';

const FILES = 200;
/** Each tenth file is put there once more, as a program does that is not sure. */
const AGAIN = 10;
const KILLS_OF_WORKERS = 40;
const KILLS_OF_POSTGRES = 4;
const APART_MS = [-4 * 60_000, 5 * 60_000];
const BETWEEN_FILES_MS = 900;
const WITHIN_MS = 600_000;
const SECRETS_KEY = 'the-key-of-a-trial-of-feeds-which-is-long-enough';

describe('200 files of a feed that come at random times', function () {
  this.timeout(1_200_000);

  forEachBackend((backend) => {
    let open: OpenFolder;
    let folders: FeedFolder;
    let system: RunningSystem;
    let workers: MovedWorkers;
    let db: Db;
    let shop: Shop;
    let folder: ShopFolder;
    before(async () => {
      open = makeOpenFolder();
      folders = await makeFeedFolder();
      const { redisUrl } = backend;
      const dataDir = `${open.path}/data`;
      const env = { ...SHORT_LOCKS, LOG_LEVEL: 'warn', FEED_FOLDERS: folders.allowed, SECRETS_KEY };
      system = await startSystem({ dataDir, redisUrl, workers: 0, env, inherit: { SECRETS_KEY } });
      db = connectDb({ url: system.databaseUrl, poolMax: 4, name: 'longshore-test' });
      const queue = redisUrl === undefined ? {} : { REDIS_URL: redisUrl };
      workers = startMovedWorkers(APART_MS, { ...env, ...queue, DATABASE_URL: system.databaseUrl, DATA_DIR: dataDir });
      const { account, token } = system.credentials;
      const api = { fetch: (path: string, init?: RequestInit) => fetch(`${system.baseUrl}${path}`, init) };
      shop = new Shop(api, account, token, await resolveSite(db, account, 'production'));
      await shop.define({ attributes: ['Title'], categories: { Shelf: ['Title!'] }, mapping: { title: 'Title' } });
      folder = await folders.of(shop);
    });
    after(async () => {
      await workers?.stop();
      await db?.destroy();
      await system?.stop();
      await folders?.remove();
      open?.remove();
    });

    it('makes one job of each, though workers with clocks apart and Postgres are killed meanwhile', async () => {
      const seed = Date.now() % 1_000_000;
      const random = seededRandom(seed);
      const schedule = { cron: '* * * * *', timeZone: 'Europe/Berlin' };
      const { id } = await folder.make({ schedule, afterwards: { moveTo: 'done' }, pick: { settleSeconds: 1 } });
      let dropped = 0;
      const drop = async () => {
        for (; dropped < FILES; dropped++) {
          await folder.putItem(`S${dropped}`);
          if (dropped % AGAIN === AGAIN - 1) await folder.putItem(`S${Math.floor(random() * dropped)}`);
          await outlived(() => db('feed').where({ id }).update({ next_run_at: db.fn.now() }));
          await delay(random() * BETWEEN_FILES_MS);
        }
      };
      const kill = async () => {
        for (let number = 1; number <= KILLS_OF_WORKERS; number++) {
          await until('more files came', () => dropped >= (number * FILES) / (KILLS_OF_WORKERS + 1), WITHIN_MS);
          await workers.kill(pick(random, [0, 1]));
          if (number % (KILLS_OF_WORKERS / KILLS_OF_POSTGRES) === 0) system.kill('postgres', 'SIGKILL');
        }
      };
      await Promise.all([drop(), kill()]);
      const isDone = async () => {
        if ((await folder.names()).length === 0 && (await shop.items()).length === FILES) return true;
        await db('feed').where({ id }).update({ next_run_at: db.fn.now() });
        return false;
      };
      try {
        await until(`all files are imported and moved (seed ${seed})`, () => isDone().catch(() => false), WITHIN_MS);
      } catch (error) {
        assert.fail(`${error}: ${JSON.stringify(await whatIsLeft())}\n${workers.log().slice(-4_000)}`);
      }
      await shop.ask('PATCH', `/feeds/${id}`, { body: { state: 'PAUSED' } });
      const ended = async () => (await db('job').whereNull('completed_at')).length === 0;
      await until(`all jobs have ended (seed ${seed})`, ended, WITHIN_MS);
      const names = Array.from({ length: FILES }, (_, number) => `S${number}.csv`).sort();
      const { rows } = await db.raw<{ rows: { name: string; status: string }[] }>(
        "SELECT file.name, job.status FROM job JOIN file ON file.id = job.input_file_id WHERE job.type = 'ITEM_IMPORT'",
      );
      assert.deepEqual(rows.map(({ name }) => name).sort(), names, `seed ${seed}`);
      assert.deepEqual(new Set(rows.map(({ status }) => status)), new Set(['COMPLETED']), `seed ${seed}`);
      await timesAreThoseOfTheDatabase(id);
      assert.ok(workers.started() > KILLS_OF_WORKERS);
    });

    async function whatIsLeft(): Promise<unknown> {
      const { rows } = await db.raw<{ rows: unknown[] }>(
        `SELECT type, status, step, dispatch, count(*), max(updated_at) AS last, now() FROM job
         WHERE completed_at IS NULL GROUP BY type, status, step, dispatch`,
      );
      return { jobs: rows, files: await folder.names(), items: (await shop.items()).length };
    }

    /** No time that decides something is that of a worker. */
    async function timesAreThoseOfTheDatabase(feedId: string): Promise<void> {
      const runs = await db('feed_run').where({ feed_id: feedId }).select('late_by_minutes', 'created_at', 'ended_at');
      const latest = Math.max(...runs.map((run) => run.late_by_minutes));
      assert.ok(latest < 3, `a run was late by ${latest} minutes`);
      const { rows } = await db.raw<{ rows: { what: string }[] }>(
        `SELECT 'feed_run' AS what FROM feed_run WHERE created_at > now() OR ended_at > now() OR ended_at < created_at
         UNION ALL SELECT 'feed_file' FROM feed_file WHERE taken_at > now() OR cleared_at > now() OR cleared_at < taken_at
         UNION ALL SELECT 'file' FROM file JOIN job ON job.input_file_id = file.id
           WHERE abs(extract(epoch FROM file.created_at - job.created_at)) > 60
              OR abs(extract(epoch FROM file.uploaded_at - job.created_at)) > 60
         UNION ALL SELECT 'feed' FROM feed WHERE last_run_at > now() OR last_file_at > now() OR expects_since > now()`,
      );
      assert.deepEqual(rows, [], 'times that are not those of the database');
    }

    /** Postgres may just be away. */
    async function outlived(query: () => Promise<unknown>): Promise<void> {
      const isDone = () =>
        Promise.resolve(query()).then(
          () => true,
          () => false,
        );
      await until('Postgres answers', isDone, WITHIN_MS);
    }
  });
});
