/** Items as rows of a binary COPY, in pieces of bytes: Postgres reads each byte of a text COPY twice more. */
import { CLOSE_OBJECT, COMMA, OPEN_OBJECT } from '../../../kernel/characters.js';
import type { ItemState } from '../resolve/item-state.js';
import {
  BYTES_OF_ELEMENT,
  HEADER,
  putBytes,
  putCharacters,
  putInt32,
  putInteger,
  putIntegers,
  putNull,
  putText,
  TRAILER,
} from './copy-values.js';

/** The columns, in the order in which each row has them. */
export const COPY_COLUMNS = 'site_id, sku, node_id, status, parent_sku, channels, attributes, source_hash';
const COLUMNS = 8;

/** The size of one piece in bytes, except where a single row is longer. */
const PIECE_BYTES = 64 * 1024;

/** The version of `jsonb` as it is sent. */
const JSONB_VERSION = 1;

/** Items of one site. */
export interface NewItems {
  readonly siteId: number;
  readonly items: readonly ItemState[];
}

/** The maximum size of the rest of a row in bytes: lengths, numbers, the status and the head of its channels. */
const MOST_OTHER_BYTES = 128;

/** How many pieces are kept for the next COPY; one is enough when pieces are sent as fast as they are made. */
const MOST_IDLE_PIECES = 8;

/**
 * Yields the rows in pieces; a row is never split, and a piece is yielded before the next is made.
 * @param type written before the columns of COPY_COLUMNS; null: the rows have no column for it
 */
export function* copyRows(
  groups: readonly NewItems[],
  pieces: PieceMemory = new PieceMemory(),
  type: string | null = null,
): Generator<Buffer> {
  let piece = pieces.take(PIECE_BYTES);
  let at = putBytes(piece, 0, HEADER);
  for (const { siteId, items } of groups) {
    const start = startOf(siteId, type);
    for (const item of items) {
      const most = start.length + MOST_OTHER_BYTES + mostBytes(item);
      if (at + most > piece.length) {
        if (at > 0) yield piece.subarray(0, at);
        piece = pieces.take(Math.max(PIECE_BYTES, most));
        at = 0;
      }
      at = putBytes(piece, at, start);
      at = putRow(piece, at, item);
    }
  }
  // There is room for it: each row has less than the most that it could have.
  at = putBytes(piece, at, TRAILER);
  yield piece.subarray(0, at);
}

/** What the rows of a site begin with: how many columns they have, and the first of these. */
function startOf(siteId: number, type: string | null): Buffer {
  const start = Buffer.alloc(32);
  let at = start.writeInt16BE(type === null ? COLUMNS : COLUMNS + 1, 0);
  if (type !== null) at = putText(start, at, type);
  return start.subarray(0, putInteger(start, at, siteId));
}

function mostBytes({ sku, parentSku, channels, extra, document }: ItemState): number {
  const characters = sku.length + extra.length + (parentSku === null ? 0 : parentSku.length);
  return characters * 3 + (channels === null ? 0 : channels.length * BYTES_OF_ELEMENT) + document.length;
}

function putRow(target: Buffer, start: number, item: ItemState): number {
  const { document, extra, hash } = item;
  let at = putText(target, start, item.sku);
  at = putInteger(target, at, item.nodeId);
  at = putText(target, at, item.status);
  at = item.parentSku === null ? putNull(target, at) : putText(target, at, item.parentSku);
  at = item.channels === null ? putNull(target, at) : putIntegers(target, at, item.channels);
  const attributes = at + 4;
  at = attributes;
  target[at++] = JSONB_VERSION;
  target[at++] = OPEN_OBJECT;
  at = document.copyTo(target, at);
  if (extra !== '') {
    if (document.length > 0) target[at++] = COMMA;
    at = putCharacters(target, at, extra);
  }
  target[at++] = CLOSE_OBJECT;
  putInt32(target, attributes - 4, at - attributes);
  at = putInt32(target, at, 8);
  at = putInt32(target, at, Math.floor(hash / 2 ** 32));
  return putInt32(target, at, hash);
}

/** The memory of the pieces of one COPY, which is reused when they have been sent. */
export class PieceMemory {
  static readonly #idle: Buffer[] = [];
  readonly #taken: Buffer[] = [];

  take(bytes: number): Buffer {
    const piece = bytes === PIECE_BYTES ? PieceMemory.#idle.pop() : undefined;
    if (piece === undefined && bytes !== PIECE_BYTES) return Buffer.allocUnsafe(bytes);
    const taken = piece ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
    this.#taken.push(taken);
    return taken;
  }

  /** To be called when the pieces taken so far are no longer read. */
  release(): void {
    for (const piece of this.#taken.splice(0)) {
      if (PieceMemory.#idle.length < MOST_IDLE_PIECES) PieceMemory.#idle.push(piece);
    }
  }
}
