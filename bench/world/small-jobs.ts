/** Requests of ten rows, as clients send them that do not collect. */
import { bulkBody } from '../data/write-rows.js';
import type { ApiClient } from './api-client.js';

export const INSERT_PATH = '/api-product/v1/product/bulk/insert';
const UPSERT_PATH = '/api-product/v1/product/bulk/upsert';
export const ROWS_PER_SMALL_JOB = 10;

/** What upserts go over again and again: so many blocks of rows. */
const UPSERT_BLOCKS = 50;

export interface SmallRequest {
  /** Whose site it goes to. */
  readonly client: ApiClient;
  readonly path: string;
  readonly body: string;
}

/** Inserts ten rows that no other number has. @param number from 0 */
export function insertOf(client: ApiClient, number: number): SmallRequest {
  return { client, path: INSERT_PATH, body: insertBody(number) };
}

/** So many inserts, numbered from `first`. */
export function insertsOf(client: ApiClient, count: number, first = 0): SmallRequest[] {
  return Array.from({ length: count }, (_, index) => insertOf(client, first + index));
}

/**
 * Upserts ten rows that every fiftieth number has as well, each time with other values: no row is left as it was.
 * @param number from 0
 */
export function upsertOf(client: ApiClient, number: number): SmallRequest {
  const block = number % UPSERT_BLOCKS;
  const skuOf = (index: number) => `UPSERT-${block * ROWS_PER_SMALL_JOB + index}`;
  return { client, path: UPSERT_PATH, body: bulkBody(firstRow(number), ROWS_PER_SMALL_JOB, skuOf) };
}

/** The rows of an insert. @param number from 0 */
export function insertBody(number: number): string {
  return bulkBody(firstRow(number), ROWS_PER_SMALL_JOB);
}

function firstRow(number: number): number {
  return number * ROWS_PER_SMALL_JOB + 1;
}

/** Resolves once it is accepted. */
export async function sendSmall({ client, path, body }: SmallRequest): Promise<void> {
  await client.postText(path, body);
}

/** Resolves with its result. @throws when that takes longer than 25 s, or is not that of ten rows written */
export async function sendAndWait({ client, path, body }: SmallRequest): Promise<void> {
  const result = await client.postText<{ itemIds?: readonly unknown[] }>(path, body, { prefer: 'wait=25' });
  if (result.itemIds === undefined) throw new Error('a job of ten rows took longer than 25 s');
  if (result.itemIds.length !== ROWS_PER_SMALL_JOB) throw new Error('a job of ten rows has not written ten');
}
