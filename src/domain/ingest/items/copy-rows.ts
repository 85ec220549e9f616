/** Items as the rows of a COPY: bytes, in pieces. */
import type { ItemState } from './item-state.js';

/** The columns, in the order of the rows. */
export const COPY_COLUMNS = 'site_id, sku, node_id, status, parent_sku, channels, attributes, source_hash';

/** Bytes of one piece, but where a single row is longer. */
const PIECE_BYTES = 64 * 1024;

/** Pieces kept for the next COPY: one is enough for a COPY whose pieces leave as fast as they are made. */
const MOST_IDLE_PIECES = 8;

/**
 * The rows in pieces of whole rows, each piece handed over before the next is made.
 * @param before the columns before those of COPY_COLUMNS, alike in every row, each with its tab
 */
export function* copyRows(
  siteId: number,
  items: Iterable<ItemState>,
  pieces: PieceMemory = new PieceMemory(),
  before = '',
): Generator<Buffer> {
  let piece = pieces.take(PIECE_BYTES);
  let at = 0;
  for (const item of items) {
    const head = before + headOf(siteId, item);
    const tail = `${tailOf(item)}\n`;
    const most = head.length * 3 + item.document.maxCopyBytes + tail.length;
    if (at + most > piece.length) {
      if (at > 0) yield piece.subarray(0, at);
      piece = pieces.take(Math.max(PIECE_BYTES, most));
      at = 0;
    }
    at += piece.write(head, at);
    at = item.document.copyTo(piece, at);
    at += piece.write(tail, at, 'latin1');
  }
  if (at > 0) yield piece.subarray(0, at);
}

/** The memory of one COPY's pieces, to be used again when they have left. */
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

  /** Nobody reads the pieces taken so far any more. */
  release(): void {
    for (const piece of this.#taken.splice(0)) {
      if (PieceMemory.#idle.length < MOST_IDLE_PIECES) PieceMemory.#idle.push(piece);
    }
  }
}

function headOf(siteId: number, { sku, nodeId, status, parentSku, channels }: ItemState): string {
  const parent = parentSku === null ? '\\N' : escaped(parentSku);
  const tags = channels === null ? '\\N' : `{${channels.join(',')}}`;
  return `${siteId}\t${escaped(sku)}\t${nodeId}\t${status}\t${parent}\t${tags}\t{`;
}

/** ASCII: what the document has besides, its end, and the hash. */
function tailOf({ document, extra, hash }: ItemState): string {
  const comma = extra !== '' && document.end > document.start ? ',' : '';
  return `${comma}${extra}}\t${hash}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(text: string): string {
  return /[\\\n\r\t]/.test(text) ? text.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character) : text;
}
