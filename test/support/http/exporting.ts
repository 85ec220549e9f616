/** Asks for exports as a client does: accepted, waited for, downloaded. */
import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import type { Answer } from './call-api.js';
import type { CallOptions, Shop } from './shop.js';
import { untilEnded } from './until-ended.js';

export type Entity = 'product' | 'bundle' | 'attribute' | 'category';

export interface ExportRequest {
  readonly entity?: Entity;
  readonly context?: CallOptions['context'];
  /** Fields of the body; `ids`, `skus`, `names` or `nodeIds` ask for the named ones. */
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface Exported {
  readonly jobId: string;
  readonly job: Answer['body'];
  /** The file's name. */
  readonly name: string;
  /** Unpacked. */
  readonly bytes: Buffer;
  readonly text: string;
}

const NAMED = ['ids', 'skus', 'names', 'nodeIds'];

/** Sends the request and nothing more. */
export function askForExport(
  shop: Shop,
  { entity = 'product', context, body = {} }: ExportRequest = {},
  headers: CallOptions['headers'] = {},
): Promise<Answer> {
  const action = NAMED.some((field) => field in body) ? 'export' : 'filter-export';
  return shop.call('POST', `/jobs/${entity}/actions/${action}`, {
    body: action === 'export' ? body : { match: {}, ...body },
    headers,
    ...(context ? { context } : {}),
  });
}

/** The export's id, accepted. */
export async function acceptExport(shop: Shop, request: ExportRequest = {}): Promise<string> {
  const answer = await askForExport(shop, request);
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return answer.body.jobId;
}

/** Exports, and fails unless it ends as COMPLETED. */
export async function exportFile(shop: Shop, request: ExportRequest = {}): Promise<Exported> {
  const jobId = await acceptExport(shop, request);
  const job = await untilEnded(shop, jobId);
  assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
  const [fileId] = job.outputFiles;
  const { name, bytes } = await shop.download(fileId);
  const whole = request.body?.gzip === true ? gunzipSync(bytes) : bytes;
  return { jobId, job, name, bytes: whole, text: whole.toString('utf8') };
}

/** The text of an export. */
export async function exportText(shop: Shop, request: ExportRequest = {}): Promise<string> {
  return (await exportFile(shop, request)).text;
}
