/**
 * Sends a catalog as JSON, as a program of yours would do each night. It needs Node and no packages:
 * `node examples/bulk-json/send.mjs`
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A request has room for so many rows; more rows are sent in several requests. */
const ROWS_A_REQUEST = 10_000;
const ATTEMPTS = 8;
/** A data set of its own, so that your catalog stays as it is: the catalog itself is `production`. */
const STAGE = 'bulk-json';

// `npm start` writes this file. For another system, put its address, your account and a token here.
const { baseUrl, account, token } = JSON.parse(
  readFileSync(`${process.env.DATA_DIR ?? '.data'}/credentials.json`, 'utf8'),
);

/** Sends a request, again when its answer is lost or says "later". The key makes sure that it takes effect once. */
async function send(method, path, body, key = randomUUID()) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'x-site-context': JSON.stringify({ account, stage: STAGE }),
        'content-type': 'application/json',
        // Wait up to 25 seconds for the result of the job, instead of asking for it again and again.
        prefer: 'wait=25',
        ...(method === 'POST' ? { 'idempotency-key': key } : {}),
      },
      body: body === undefined ? null : JSON.stringify(body),
    }).catch(() => null);
    const isOver = response !== null && response.status !== 429 && response.status !== 503;
    if (isOver) return { status: response.status, answer: await response.json() };
    if (attempt === ATTEMPTS) throw new Error(`${method} ${path} has failed ${ATTEMPTS} times`);
    await delay(1000 * Number(response?.headers.get('retry-after') ?? 2 ** attempt));
  }
}

/** Waits for the end of a job that did not end within the time of its request. */
async function endOf(jobId) {
  for (;;) {
    const { answer: job } = await send('GET', `/jobs/${jobId}`);
    if (!['SCHEDULED', 'IN_PROGRESS', 'CANCELLATION_IN_PROGRESS'].includes(job.status)) return job;
  }
}

/** Without its attributes and categories, no item can be written. */
function requireAll(failed) {
  if (failed.length > 0) throw new Error(JSON.stringify(failed));
}

/** Sends items, and returns one line for each row that failed. The other rows are written. */
async function sendItems(items) {
  const failures = [];
  for (let first = 0; first < items.length; first += ROWS_A_REQUEST) {
    const rows = items.slice(first, first + ROWS_A_REQUEST);
    const { status, answer } = await send('POST', '/api-product/v1/product/bulk/upsert', rows);
    if (status === 202) {
      const job = await endOf(answer.jobId);
      const { answer: errors } = await send('GET', `/jobs/${job.id}/errors?limit=1000`);
      failures.push(...errors.data.map(({ key, column, code, message }) => `${key}: ${column}: ${code}: ${message}`));
    } else if (status === 200) {
      failures.push(...answer.failed.map(({ sku, code, message }) => `${sku}: ${code}: ${message}`));
    } else {
      // 422 is the answer when no row could be written; other answers say what is wrong with the request.
      throw new Error(`${status} ${JSON.stringify(answer)}`);
    }
  }
  return failures;
}

// The catalog: attributes first, then the category with its attributes, then the items.

const { answer: defined } = await send('POST', '/api-product/v1/product/attribute/bulk', [
  { name: 'Title', type: 'TEXT', validation: { required: true } },
  { name: 'Price', type: 'DECIMAL', validation: { range: { min: 0.01 } } },
  { name: 'Colour', type: 'OPTIONS', options: ['Black', 'Blue', 'Red'] },
]);
requireAll(defined.attributes.failed);
const { answer: grown } = await send('POST', '/api-category/v1/category/bulk/upsert', [
  { path: 'Audio' },
  {
    path: 'Audio->Headphones',
    itemAttributes: [{ name: 'Title', mandatory: true }, { name: 'Price' }, { name: 'Colour' }],
  },
]);

requireAll(grown.categories.failed);

const failures = await sendItems([
  { sku: 'HP-1', nodeName: 'Audio->Headphones', attributes: { Title: 'Headphones One', Price: 89.9, Colour: 'Black' } },
  { sku: 'HP-2', nodeName: 'Audio->Headphones', attributes: { Title: 'Headphones Two', Price: 129, Colour: 'Blue' } },
  // Wrong on purpose: there is no such colour.
  {
    sku: 'HP-3',
    nodeName: 'Audio->Headphones',
    attributes: { Title: 'Headphones Three', Price: 49, Colour: 'Purple' },
  },
]);
console.log(failures.length === 0 ? 'All items were written.' : failures.join('\n'));
