/** Items as rows of a COPY, in pieces of bytes. */
import { CLOSE_OBJECT, COMMA, LF, TAB } from '../../../kernel/characters.js';
import { putInteger } from '../../../kernel/written-integers.js';
import type { ItemState } from '../resolve/item-state.js';

/** The columns, in the order in which each row has them. */
export const COPY_COLUMNS = 'site_id, sku, node_id, status, parent_sku, channels, attributes, source_hash';

/** The size of one piece in bytes, except where a single row is longer. */
const PIECE_BYTES = 64 * 1024;

/** Items of one site. */
export interface NewItems {
  readonly siteId: number;
  readonly items: readonly ItemState[];
}

/** The maximum size of the rest of a row in bytes: its node id, its hash and the separators. */
const MOST_OTHER_BYTES = 64;

/** How many pieces are kept for the next COPY; one is enough when pieces are sent as fast as they are made. */
const MOST_IDLE_PIECES = 8;

/**
 * Yields the rows in pieces; a row is never split, and a piece is yielded before the next is made.
 * @param before the columns before those of COPY_COLUMNS, the same in every row, each with its tab
 */
export function* copyRows(
  groups: readonly NewItems[],
  pieces: PieceMemory = new PieceMemory(),
  before = '',
): Generator<Buffer> {
  let piece = pieces.take(PIECE_BYTES);
  let at = 0;
  for (const { siteId, items } of groups) {
    const start = `${before}${siteId}\t`;
    for (const item of items) {
      const { document, extra } = item;
      const sku = escaped(item.sku);
      const links = linksOf(item);
      const most =
        (start.length + sku.length + links.length + extra.length) * 3 + MOST_OTHER_BYTES + document.maxCopyBytes;
      if (at + most > piece.length) {
        if (at > 0) yield piece.subarray(0, at);
        piece = pieces.take(Math.max(PIECE_BYTES, most));
        at = 0;
      }
      at = put(piece, at, start);
      at = put(piece, at, sku);
      piece[at++] = TAB;
      at = put(piece, at, String(item.nodeId));
      piece[at++] = TAB;
      at = put(piece, at, item.status);
      at = put(piece, at, links);
      at = document.copyTo(piece, at);
      if (extra !== '') {
        if (document.end > document.start) piece[at++] = COMMA;
        at = put(piece, at, extra);
      }
      piece[at++] = CLOSE_OBJECT;
      piece[at++] = TAB;
      at = putInteger(piece, at, item.hash);
      piece[at++] = LF;
    }
  }
  if (at > 0) yield piece.subarray(0, at);
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

/** What is between the status and the document's members, for an item without a parent that belongs to all channels. */
const NO_LINKS = '\t\\N\t\\N\t{';

function linksOf({ parentSku, channels }: ItemState): string {
  if (parentSku === null && channels === null) return NO_LINKS;
  const parent = parentSku === null ? '\\N' : escaped(parentSku);
  const tags = channels === null ? '\\N' : `{${channels.join(',')}}`;
  return `\t${parent}\t${tags}\t{`;
}

/**
 * Writes a text. ASCII, the usual case, is copied here, which costs less than calling the encoder.
 * @returns where it ends
 */
function put(target: Buffer, at: number, text: string): number {
  let next = at;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x80) return at + target.write(text, at);
    target[next++] = code;
  }
  return next;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(text: string): string {
  return /[\\\n\r\t]/.test(text) ? text.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character) : text;
}
